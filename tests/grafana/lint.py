"""The rules of grafana/dashboard-linter that concern us, and our own: each is a function from a dashboard to what is
wrong with it, one sentence each. The linter itself is Go and not packaged; the rules are small.
"""

import re

import written

# Those of Grafana's units that we use; one that is misspelt shows bare numbers.
UNITS = {"none", "short", "s", "bytes", "percentunit"}
SOURCE = "${datasource}"


def _variable(board, name):
    return next((one for one in board["templating"]["list"] if one["name"] == name), None)


def template_datasource(board):
    one = _variable(board, "datasource")
    if one is None or one["type"] != "datasource" or one["query"] != "prometheus" or one["label"] != "Data source":
        yield "there is no variable `datasource`, labelled `Data source`, for Prometheus"


def template_job_and_instance(board):
    for name in ("job", "instance"):
        one = _variable(board, name)
        if one is None:
            yield f"there is no variable `{name}`"
            continue
        # Of all jobs only those that are gates': other programs have `up` and `process_*` too.
        wanted = {"type": "query", "label": name.capitalize(), "multi": True, "allValue": None if name == "job" else ".+"}
        for key, value in wanted.items():
            if one.get(key) != value:
                yield f"the variable `{name}` has `{key}` {one.get(key)!r} and not {value!r}"
        if one.get("datasource", {}).get("uid") != SOURCE:
            yield f"the variable `{name}` does not ask {SOURCE}"


def template_reload(board):
    for one in board["templating"]["list"]:
        if one["type"] == "query" and one.get("refresh") != 2:
            yield f"the variable `{one['name']}` is not read anew when the time changes (refresh: 2)"


def template_expressions(board):
    """label_values(metric{...}, name), with the choices made before it."""
    for one in board["templating"]["list"]:
        if one["type"] != "query":
            continue
        if not re.fullmatch(r"label_values\(\w+(\{.*\})?, " + one["name"] + r"\)", one["query"]):
            yield f"the variable `{one['name']}` asks {one['query']!r}"
        if one["name"] != "job" and 'job=~"$job"' not in one["query"]:
            yield f"the variable `{one['name']}` does not look at the chosen job only"


def panel_datasource(board):
    for panel in written.panels(board):
        asked = [panel.get("datasource", {})] + [target.get("datasource", {}) for target in panel.get("targets", [])]
        if any(one.get("uid") != SOURCE for one in asked):
            yield f"{panel['title']!r} does not ask {SOURCE}"


def panel_title(board):
    titles = [panel["title"] for panel in written.panels(board)]
    for title in titles:
        if not title.endswith("?"):
            yield f"the title {title!r} is no question"
        if titles.count(title) > 1:
            yield f"the title {title!r} is there twice"


def panel_title_fits(board):
    for panel in written.panels(board):
        if len(panel["title"]) > 7 * panel["gridPos"]["w"]:
            yield f"the title {panel['title']!r} is cut off"


def panel_description(board):
    for panel in written.panels(board):
        if not panel.get("description", "").rstrip().endswith("."):
            yield f"{panel['title']!r} has no description of whole sentences"


def panel_units(board):
    for panel in written.panels(board):
        unit = panel["fieldConfig"]["defaults"].get("unit")
        if unit not in UNITS and not re.fullmatch(r"suffix: [a-z]+/s", unit or ""):
            yield f"{panel['title']!r} has the unit {unit!r}"


def panel_no_targets(board):
    for panel in written.panels(board):
        if not panel.get("targets") or not all(target["expr"].strip() for target in panel["targets"]):
            yield f"{panel['title']!r} asks nothing"


def _selectors(expression):
    """(metric, what stands in its braces); a metric without braces has none."""
    words = re.findall(r"\b((?:einlass|process)_\w+|up)\b(\{[^}]*\})?", re.sub(r'"[^"]*"', _hide, expression))
    return [(name, _shown(inside)) for name, inside in words]


def _hide(match):
    return match.group(0).replace("{", "\x01").replace("}", "\x02")


def _shown(text):
    return text.replace("\x01", "{").replace("\x02", "}")


def target_job_and_instance(board):
    for where, expression in written.expressions(board):
        for metric, inside in _selectors(expression):
            for name in ("job", "instance"):
                if f'{name}=~"${name}"' not in inside:
                    yield f"{where}: {metric} is not asked of the chosen {name} only"


def target_counter(board):
    """A counter is looked at by rate, increase or irate; its value says how old the process is."""
    for where, expression in written.expressions(board):
        for metric, inside in _selectors(expression):
            if not metric.endswith("_total") and not metric.endswith("_bucket"):
                continue
            place = expression.index(metric)
            before = expression[:place].rstrip()
            rated = re.search(r"\b(rate|irate|increase)\($", before)
            # The books are sums of counters on purpose, and so is what was ever skipped; `group` looks at labels only.
            if not rated and not _is_sum_on_purpose(expression, metric):
                yield f"{where}: {metric} without rate or increase"


def _is_sum_on_purpose(expression, metric):
    books = "einlass_records_received_total" in expression and "einlass_records_inside" in expression
    return (books and metric.startswith("einlass_records_")) or metric == "einlass_offsets_skipped_total" \
        or (metric == "einlass_admissions_total" and "group by" in expression)


def target_rate_interval(board):
    for where, expression in written.expressions(board):
        for function, interval in re.findall(r"\b(rate|irate|increase|deriv)\([^\[\]]*\[([^\]]+)\]", expression):
            if interval != "$__rate_interval" and not (function == "increase" and interval == "1h"):
                yield f"{where}: {function} over {interval} and not $__rate_interval"


def legend(board):
    for panel in written.panels(board):
        for target in panel["targets"]:
            if panel["type"] == "timeseries" and not target["legendFormat"]:
                yield f"{panel['title']!r} has a line without a name"


def links(board):
    """Each panel that leads somewhere leads to a dashboard that is there; each dashboard leads to the others."""
    known = written.all_of()
    for panel in written.panels(board):
        for one in panel["links"]:
            uid = re.match(r"/d/([\w-]+)\?", one["url"])
            if not uid or uid.group(1) not in known or uid.group(1) == board["uid"]:
                yield f"{panel['title']!r} leads to {one['url']!r}"
            if "${__url_time_range}" not in one["url"] or "${__all_variables}" not in one["url"]:
                yield f"{panel['title']!r} leads to {one['title']!r} without the time and the choices"
    if not any(one["type"] == "dashboards" and one["includeVars"] and one["keepTime"] for one in board["links"]):
        yield "there is no way to the other dashboards"


def whole(board):
    """What Grafana expects of a provisioned dashboard."""
    wanted = {"editable": False, "schemaVersion": 39, "graphTooltip": 1, "refresh": "10s"}
    for key, value in wanted.items():
        if board.get(key) != value:
            yield f"`{key}` is {board.get(key)!r} and not {value!r}"
    if "id" in board or "__inputs" in board:
        yield "it was exported by hand"
    if "einlass" not in board["tags"]:
        yield "the tag `einlass` is missing, by which the dashboards find each other"


def layout(board):
    taken, ids = {}, set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            yield f"{panel['title']!r} stands over the edge"
        if panel["id"] in ids:
            yield f"{panel['title']!r} has another panel's id"
        ids.add(panel["id"])
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if (x, y) in taken:
                    yield f"{panel['title']!r} lies over {taken[x, y]!r}"
                    return
                taken[x, y] = panel["title"]


RULES = (template_datasource, template_job_and_instance, template_reload, template_expressions, panel_datasource,
         panel_title, panel_title_fits, panel_description, panel_units, panel_no_targets, target_job_and_instance, target_counter,
         target_rate_interval, legend, links, whole, layout)


def mistakes(board):
    return [f"{board['uid']}: {rule.__name__}: {text}" for rule in RULES for text in rule(board)]
