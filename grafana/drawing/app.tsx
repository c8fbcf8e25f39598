// Draws one dashboard with Grafana's own panel components. The page gives it window.board (the dashboard's JSON, each panel with
// `lines`: what its expressions returned) and window.span (the time that is shown). Layout and rows are ours, the panels Grafana's.
import { createRoot } from 'react-dom/client';
import {
  createTheme, dateTime, FieldType, getDisplayProcessor, getDisplayValueAlignmentFactors, toDataFrame, ThemeContext, type DataFrame, type TimeRange,
} from '@grafana/data';
import {
  BarGauge, BigValue, BigValueColorMode, BigValueGraphMode, BigValueTextMode, GlobalStyles, PanelChrome, PortalContainer,
  TimeSeries, VizRepeater,
} from '@grafana/ui';
import { BarGaugeDisplayMode, BarGaugeNamePlacement, BarGaugeValueMode, LegendDisplayMode, VizOrientation } from '@grafana/schema';

declare global {
  interface Window { board: any; span: { from: number; to: number } }
}

const WIDTH = 1600, COLUMN = WIDTH / 24, ROW = 38, GAP = 8;
const theme = createTheme({ colors: { mode: "dark" }, typography: { fontFamily: "Inter Variable, sans-serif" } });

function framesOf(panel: any): DataFrame[] {
  const defaults = panel.fieldConfig.defaults;
  return panel.lines.map((line: any, place: number) => {
    const custom = { ...defaults.custom };
    let color = defaults.color;
    for (const override of panel.fieldConfig.overrides) {
      const pattern = new RegExp(override.matcher.options.slice(1, -1));
      if (!pattern.test(line.name)) continue;
      for (const { id, value } of override.properties) {
        if (id === 'color') color = value;
        else custom[id.replace('custom.', '')] = value;
      }
    }
    const config = { ...defaults, custom, color, displayNameFromDS: line.name };
    const frame = toDataFrame({
      fields: [
        { name: 'Time', type: FieldType.time, values: line.times, config: {} },
        { name: 'Value', type: FieldType.number, values: line.values, config },
      ],
    });
    frame.fields[1].state = { seriesIndex: place };  // Its place in the palette.
    for (const field of frame.fields) field.display = getDisplayProcessor({ field, theme });
    return frame;
  });
}

function Graph({ panel, width, height }: { panel: any; width: number; height: number }) {
  if (panel.lines.length === 0) {
    return (
      <div style={{ height, display: 'flex', alignItems: 'center', justifyContent: 'center', color: theme.colors.text.secondary }}>
        {panel.fieldConfig.defaults.noValue ?? 'No data'}
      </div>
    );
  }
  const timeRange: TimeRange = {
    from: dateTime(window.span.from), to: dateTime(window.span.to),
    raw: { from: dateTime(window.span.from), to: dateTime(window.span.to) },
  };
  return (
    <TimeSeries frames={framesOf(panel)} timeRange={timeRange} timeZone="utc" width={width} height={height} options={{}}
      legend={{ displayMode: LegendDisplayMode.Table, placement: panel.options.legend.placement, showLegend: true, calcs: panel.options.legend.calcs,
        sortBy: panel.options.legend.sortBy, sortDesc: panel.options.legend.sortDesc }} />
  );
}

// What an expression returned last, under its name; one entry without a name where there is nothing.
function lastOf(panel: any) {
  const frames = framesOf(panel);
  if (frames.length === 0) {
    return [{ field: undefined, value: { text: panel.fieldConfig.defaults.noValue ?? 'No data', numeric: NaN } }];
  }
  return frames.map((frame, place) => {
    const field = frame.fields[1], line = panel.lines[place];
    return { field, value: { ...field.display!(line.values.at(-1)), title: line.name } };
  });
}

// How many there are, and where each stands, is Grafana's.
function Repeated({ values, render, ...rest }: any) {
  return <VizRepeater getValues={() => values} renderValue={render} source={values} renderCounter={0} {...rest} />;
}

function Stat({ panel, width, height }: { panel: any; width: number; height: number }) {
  const all = lastOf(panel);
  return (
    <Repeated values={all} width={width} height={height} orientation={panel.options.orientation} autoGrid itemSpacing={3}
      getAlignmentFactors={(values: any) => getDisplayValueAlignmentFactors(values.map(({ value }: any) => ({ display: value })) as any)}
      render={({ value: { value }, width, height, alignmentFactors, count }: any) => (
        <BigValue value={value} theme={theme} width={width} height={height} count={count}
          alignmentFactors={count > 1 ? alignmentFactors : undefined}
          colorMode={BigValueColorMode.Value} graphMode={BigValueGraphMode.None}
          text={panel.options.text} textMode={value.title ? BigValueTextMode.ValueAndName : BigValueTextMode.Value} />
      )} />
  );
}

function Bars({ panel, width, height }: { panel: any; width: number; height: number }) {
  const all = lastOf(panel);
  const most = Math.max(...all.map(({ value }) => value.numeric));
  return (
    <Repeated values={all} width={width} height={height} orientation={VizOrientation.Horizontal} itemSpacing={10}
      minVizWidth={panel.options.minVizWidth} minVizHeight={panel.options.minVizHeight}
      getAlignmentFactors={(values: any) => getDisplayValueAlignmentFactors(values.map(({ value }: any) => ({ display: value })) as any)}
      render={({ value: { field, value }, width, height, alignmentFactors }: any) => (
        <BarGauge value={value} theme={theme} width={width} height={height}
          field={{ ...field?.config, min: 0, max: most }} display={field?.display} orientation={VizOrientation.Horizontal}
          displayMode={BarGaugeDisplayMode.Basic} valueDisplayMode={BarGaugeValueMode.Text} alignmentFactors={alignmentFactors}
          namePlacement={BarGaugeNamePlacement.Left} showUnfilled itemSpacing={10} />
      )} />
  );
}

function Panel({ panel }: { panel: any }) {
  const { x, y, w, h } = panel.gridPos;
  const place = { position: 'absolute' as const, left: x * COLUMN, top: y * ROW };
  if (panel.type === 'row') return <h3 style={{ ...place, margin: '6px 4px' }}>{panel.title}</h3>;
  const Inside = panel.type === 'stat' ? Stat : panel.type === 'bargauge' ? Bars : Graph;
  return (
    <div style={place}>
      <PanelChrome title={panel.title} width={w * COLUMN - GAP} height={h * ROW - GAP}>
        {(width, height) => <Inside panel={panel} width={width} height={height} />}
      </PanelChrome>
    </div>
  );
}

function Board() {
  const bottom = Math.max(...window.board.panels.map((panel: any) => panel.gridPos.y + panel.gridPos.h));
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <div style={{ fontFamily: 'Inter Variable, sans-serif', color: theme.colors.text.primary, padding: 12 }}>
        <h2 style={{ margin: '0 4px 8px' }}>{window.board.title}</h2>
        <div style={{ position: 'relative', width: WIDTH, height: bottom * ROW }}>
          {window.board.panels.map((panel: any) => <Panel key={panel.id} panel={panel} />)}
        </div>
        <small style={{ color: theme.colors.text.secondary }}>
          Drawn by Grafana&apos;s panel components (@grafana/ui 13.2.2) from the dashboard&apos;s JSON and a real Prometheus; not a
          screenshot of Grafana.
        </small>
      </div>
      <PortalContainer />
    </ThemeContext.Provider>
  );
}

document.body.style.background = theme.colors.background.canvas;
// Text is measured on a canvas, with the font that is there by then.
Promise.all([400, 500].map((weight) => document.fonts.load(`${weight} 14px "Inter Variable"`))).then(() => {
  createRoot(document.getElementById('root')!).render(<Board />);
});
