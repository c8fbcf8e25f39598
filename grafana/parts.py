"""What the dashboards are made of: panels, rows, variables, in Grafana's classic JSON (schema 39, Grafana 10 to 13)."""

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
WIDTH = 24
# The ratio of the buckets keeps a quantile within a tenth of the truth.
RATE = "[$__rate_interval]"
RECORDS, PERMITS, CALLS = "suffix: records/s", "suffix: permits/s", "suffix: calls/s"
BAD_FROM_1 = [(None, "green"), (1, "red")]


def select(metric, **labels):
    """The metric of the gates that are chosen, and with these labels: `route="$route"` for route="~$route"."""
    chosen = {"job": "~$job", "instance": "~$instance", **labels}
    pairs = []
    for name, value in chosen.items():
        operator = "=~" if value.startswith("~") else "!=" if value.startswith("!") else "="
        pairs.append(f'{name}{operator}"{value.lstrip("~!")}"')
    return f"{metric}{{{', '.join(pairs)}}}"


def rate(metric, **labels):
    return f"rate({select(metric, **labels)}{RATE})"


def quantile(q, metric, by, **labels):
    """Of a histogram, for each value of the label `by` (none: over all)."""
    groups = f"le, {by}" if by else "le"
    return f"histogram_quantile({q}, sum by ({groups}) ({rate(metric + '_bucket', **labels)}))"


def target(expression, legend):
    return {"expr": expression, "legend": legend}


def _field(unit, **options):
    defaults = {"unit": unit, "mappings": options.pop("mappings", [])}
    steps = options.pop("steps", None)
    if steps:
        defaults["thresholds"] = {"mode": "absolute", "steps": [
            {"color": color, "value": value} for value, color in steps]}
    for name, key in (("min", "min"), ("max", "max"), ("nothing", "noValue"), ("decimals", "decimals")):
        if name in options:
            defaults[key] = options.pop(name)
    assert not options, options
    return defaults


def _panel(kind, title, description, targets, link, defaults, overrides, options):
    instant = kind != "timeseries"
    queries = [{"refId": chr(ord("A") + number), "datasource": SOURCE, "editorMode": "code", "range": not instant,
                "instant": instant, "expr": one["expr"], "legendFormat": one["legend"]}
               for number, one in enumerate(targets)]
    links = [{"title": title_of, "url": url, "targetBlank": False} for title_of, url in ([link] if link else [])]
    return {"type": kind, "title": title, "description": description, "datasource": SOURCE, "targets": queries,
            "links": links, "fieldConfig": {"defaults": defaults, "overrides": overrides}, "options": options}


def to(uid, title):
    """A panel's link to a dashboard, with the time and the choices of this one."""
    return (title, f"/d/{uid}?${{__url_time_range}}&${{__all_variables}}")


def dashed(pattern):
    """The lines of these names: what is allowed, beside what is used."""
    return {"matcher": {"id": "byRegexp", "options": pattern},
            "properties": [{"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 6]}},
                           {"id": "custom.fillOpacity", "value": 0}]}


def colored(pattern, color, mode="fixed"):
    """The lines of these names. What is bad is red, and nothing else whose meaning is known."""
    return {"matcher": {"id": "byRegexp", "options": pattern},
            "properties": [{"id": "color", "value": {"mode": mode, "fixedColor": color}}]}


def meanings(of_each=False, **words):
    """`blue="limit|order"`: these lines; or, of each route, those whose names end so, each in a shade of its own."""
    form, mode = ("/ ({})$/", "shades") if of_each else ("/^({})$/", "fixed")
    return [colored(form.format(word), color.replace("_", "-"), mode) for color, word in words.items()]


def lines(title, unit, description, targets, link=None, stacked=False, overrides=(), **options):
    """A graph over time. Where all is 0 its axis is not made up. What is stacked has no lines: those of 0 would lie on the
    others. Of a long legend the largest come first, but what is allowed does not stand before what is used."""
    defaults = _field(unit, **{"min": 0, **options})
    defaults["color"] = {"mode": "palette-classic"}
    defaults["custom"] = {"drawStyle": "line", "lineInterpolation": "linear", "lineWidth": 0 if stacked else 1,
                          "axisSoftMax": 1, "fillOpacity": 60 if stacked else 8, "showPoints": "never", "spanNulls": False,
                          "stacking": {"mode": "normal" if stacked else "none", "group": "A"}}
    if unit in ("s", "percentunit"):
        del defaults["custom"]["axisSoftMax"]
    legend = {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["lastNotNull", "max"]}
    if not any(one["properties"][0]["id"] == "custom.lineStyle" for one in overrides):
        legend |= {"sortBy": "Max", "sortDesc": True}
    return _panel("timeseries", title, description, targets, link, defaults, list(overrides),
                  {"legend": legend,
                   "tooltip": {"mode": "multi", "sort": "desc"}})


_REDUCED = {"calcs": ["lastNotNull"], "fields": "", "values": False}


def number(title, unit, description, expression, link=None, legend="", by_line=False, **options):
    """One number, now; or one for each name of the legend. `by_line`: one below the other, in letters that stay legible."""
    defaults = _field(unit, **options)
    defaults["color"] = {"mode": "thresholds"}
    defaults.setdefault("thresholds", {"mode": "absolute", "steps": [{"color": "blue", "value": None}]})
    shown = {"orientation": "horizontal", "text": {"titleSize": 16, "valueSize": 24}} if by_line else {"orientation": "auto"}
    return _panel("stat", title, description, [target(expression, legend)], link, defaults, [],
                  {**shown, "colorMode": "value", "graphMode": "none", "justifyMode": "auto",
                   "textMode": "value_and_name" if legend else "auto", "reduceOptions": _REDUCED})


def troubles(title, unit, description, expression, color, link, legend, nothing):
    """What is wrong, a line each, with its name; and one word while nothing is."""
    return number(title, unit, description, expression, link, legend, True, nothing=nothing, steps=[(None, color)])


def bars(title, unit, description, expression, legend, link=None):
    """Those with most, now, as bars with their names."""
    defaults = _field(unit, min=0, nothing="nobody")
    defaults["color"] = {"mode": "fixed", "fixedColor": "blue"}
    defaults["thresholds"] = {"mode": "absolute", "steps": [{"color": "blue", "value": None}]}
    return _panel("bargauge", title, description, [target(expression, legend)], link, defaults, [],
                  {"displayMode": "basic", "orientation": "horizontal", "valueMode": "text", "namePlacement": "left",
                   "showUnfilled": True, "minVizWidth": 8, "minVizHeight": 16, "reduceOptions": _REDUCED})


def said(values):
    """Shows words in the place of numbers: {0: "closed"}."""
    return [{"type": "value", "options": {str(value): {"text": text, "index": place}
                                          for place, (value, text) in enumerate(values.items())}}]


def _row(title, y):
    return {"type": "row", "title": title, "collapsed": False, "panels": [],
            "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": y}}


def _laid_out(rows):
    """Panels from left to right, as wide as the row's `across` allows; each row with a heading above."""
    panels, y = [], 0
    for heading, across, height, members in rows:
        panels.append(_row(heading, y))
        y += 1
        for place, panel in enumerate(members):
            column = place % across
            if place and column == 0:
                y += height
            width = WIDTH // across
            if panel["type"] == "timeseries" and width >= 12:  # There is room beside it for all names.
                panel["options"]["legend"]["placement"] = "right"
            panels.append({**panel, "gridPos": {"h": height, "w": width, "x": column * width, "y": y}})
        y += height
    return [{**panel, "id": place + 1} for place, panel in enumerate(panels)]


def _variable(name, label, metric, **options):
    query = f"label_values({metric}, {name})"
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "query": query,
            "refresh": 2, "sort": 1, "multi": True, "includeAll": True, **options, "regex": "", "hide": 0,
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]}}


def _variables(names):
    source = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "refresh": 1,
              "regex": "", "multi": False, "includeAll": False, "hide": 0, "current": {}}
    gates = 'einlass_build_info{job=~"$job"}'
    any_value = {"allValue": ".+"}
    # All jobs are those that the query finds: any job would be other programs too, which have `up` and `process_*` as gates do.
    known = {"job": _variable("job", "Job", "einlass_build_info"),
             "instance": _variable("instance", "Instance", gates, **any_value),
             "route": _variable("route", "Route", 'einlass_records_inside{job=~"$job", instance=~"$instance"}', **any_value),
             "limit": _variable("limit", "Limit", 'einlass_limit_info{job=~"$job", instance=~"$instance"}', **any_value)}
    return {"list": [source] + [known[name] for name in ("job", "instance", *names)]}


def _annotation(name, color, expression, text):
    return {"name": name, "datasource": SOURCE, "enable": True, "iconColor": color, "expr": expression,
            "titleFormat": name, "textFormat": text, "step": "15s", "useValueForTime": False}


def dashboard(uid, title, description, variables, rows):
    """`rows`: (heading, panels side by side, their height, panels)."""
    starts = f'changes({select("process_start_time_seconds")}[1m]) > 0'
    # A start reads the configuration, too.
    reloads = (f'changes({select("einlass_config_last_reload_success_timestamp_seconds")}[1m]) > 0 '
               f'unless on (job, instance) {starts}')
    return {
        "uid": uid, "title": f"Einlass / {title}", "description": description, "tags": ["einlass"],
        "schemaVersion": 39, "version": 1, "editable": False, "graphTooltip": 1, "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"}, "timezone": "browser", "weekStart": "", "fiscalYearStartMonth": 0,
        "timepicker": {}, "liveNow": False,
        "links": [{"type": "dashboards", "title": "Einlass", "tags": ["einlass"], "asDropdown": True,
                   "includeVars": True, "keepTime": True, "targetBlank": False, "icon": "external link",
                   "tooltip": "", "url": ""}],
        "templating": _variables(variables),
        "annotations": {"list": [_annotation("Reloaded", "blue", reloads, "{{instance}} has another configuration"),
                                 _annotation("Started", "orange", starts, "{{instance}} was started")]},
        "panels": _laid_out(rows),
    }
