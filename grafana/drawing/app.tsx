// Draws one dashboard with Grafana's own panel components. The page gives it window.board (the dashboard's JSON, each panel with
// `lines`: what its expressions returned) and window.span (the time that is shown). Layout and rows are ours, the panels Grafana's.
import { createRoot } from 'react-dom/client';
import {
  createTheme, dateTime, FieldType, getDisplayProcessor, toDataFrame, ThemeContext, type DataFrame, type TimeRange,
} from '@grafana/data';
import {
  BigValue, BigValueColorMode, BigValueGraphMode, GlobalStyles, PanelChrome, PortalContainer, TimeSeries,
} from '@grafana/ui';
import { LegendDisplayMode } from '@grafana/schema';

declare global {
  interface Window { board: any; span: { from: number; to: number } }
}

const WIDTH = 1600, COLUMN = WIDTH / 24, ROW = 38, GAP = 8;
const theme = createTheme({ colors: { mode: 'dark' } });

function framesOf(panel: any): DataFrame[] {
  const defaults = panel.fieldConfig.defaults;
  return panel.lines.map((line: any, place: number) => {
    const custom = { ...defaults.custom };
    for (const override of panel.fieldConfig.overrides) {
      const pattern = new RegExp(override.matcher.options.slice(1, -1));
      if (!pattern.test(line.name)) continue;
      for (const { id, value } of override.properties) custom[id.replace('custom.', '')] = value;
    }
    const config = { ...defaults, custom, displayNameFromDS: line.name };
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
  const timeRange: TimeRange = {
    from: dateTime(window.span.from), to: dateTime(window.span.to),
    raw: { from: dateTime(window.span.from), to: dateTime(window.span.to) },
  };
  return (
    <TimeSeries frames={framesOf(panel)} timeRange={timeRange} timeZone="utc" width={width} height={height} options={{}}
      legend={{ displayMode: LegendDisplayMode.List, placement: 'bottom', showLegend: true, calcs: [] }} />
  );
}

function Stat({ panel, width, height }: { panel: any; width: number; height: number }) {
  const [frame] = framesOf(panel);
  const value = frame ? frame.fields[1].display!(panel.lines[0].values.at(-1)) : { text: 'No data', numeric: NaN };
  return (
    <BigValue value={value} theme={theme} width={width} height={height} colorMode={BigValueColorMode.Value}
      graphMode={BigValueGraphMode.None} />
  );
}

function Panel({ panel }: { panel: any }) {
  const { x, y, w, h } = panel.gridPos;
  const place = { position: 'absolute' as const, left: x * COLUMN, top: y * ROW };
  if (panel.type === 'row') return <h3 style={{ ...place, margin: '6px 4px' }}>{panel.title}</h3>;
  const Inside = panel.type === 'stat' ? Stat : Graph;
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
      <div style={{ fontFamily: 'Inter, sans-serif', color: theme.colors.text.primary, padding: 12 }}>
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
createRoot(document.getElementById('root')!).render(<Board />);
