"""At one look: what is wrong, where the records are, how late they are; and the gates themselves."""

from parts import (BAD_FROM_1, CALLS, RECORDS, dashboard, lines, meanings, number, quantile, rate, said, select, target, to,
                   troubles)

ROUTE, LIMITS = to("einlass-route", "Route and target"), to("einlass-limits", "Limits and tenants")
# What records wait for, in the order of a gate; and how stores answer.
CAUSES = dict(green="in_flight", blue="limit", yellow="order", orange="target", light_orange="retry", red="outage",
              purple="paused", super_light_purple="not_before")
ANSWERS = dict(green="granted", blue="denied", red="error", dark_red="timeout")


def books():
    """What the totals do not explain, by gate and route: 0 if they add up."""
    by = "sum by (job, instance, route)"
    parts = ["einlass_records_delivered_total", "einlass_records_dead_lettered_total",
             "einlass_records_returned_total", "einlass_records_filtered_total", "einlass_records_inside"]
    return f"{by} ({select('einlass_records_received_total')})" + "".join(f" - {by} ({select(one)})" for one in parts)


def _allowed(metric="einlass_limit_allowed_permits_per_second", of=(), **labels):
    """Of the limits that all records share: what each fleet (job) may use, by limit."""
    permits = select(metric, **labels)

    def kept_in(store):
        info = select("einlass_limit_info", store=store, key="none", shadow="!true", **dict(of))
        return f"{permits} * on (job, instance, limit) group_left () {info}"
    return f"max by (job, limit) ({kept_in('redis')}) or sum by (job, limit) ({kept_in('memory')})"


def allowed(**labels):
    """By limit, of all fleets together."""
    return f"sum by (limit) ({_allowed(**labels)})"


def at_once(**labels):
    """By limit of attempts in flight, of all fleets together: the most that may be under way."""
    return f"sum by (limit) ({_allowed('einlass_limit_allowed_permits', of={'algorithm': 'concurrency'}, **labels)})"


def used(**labels):
    """How much of a limit is used, by the fleet that uses most of its own: by limit, 1 is all of it."""
    admitted = f"sum by (job, limit) ({rate('einlass_admissions_total', **labels)})"
    return f"max by (limit) ({admitted} / ({_allowed(**labels)}))"


def failing(**labels):
    """The share of attempts that the target does not accept, by route: a sum would hide a dead one among those that live."""
    attempts = f"sum by (job, route) ({rate('einlass_attempts_total', **labels)})"
    not_accepted = f"sum by (job, route) ({rate('einlass_attempts_total', outcome='!accepted', **labels)})"
    return f"max by (route) ({not_accepted} / ({attempts} > 0))"


def lasting(severity):
    """For how long what has been wrong, by gate; a pause is the same at all of them."""
    def since(by, what):
        metric = select("einlass_trouble_since_timestamp_seconds", severity=severity, what=what)
        return f"min by ({by}) ({metric})"
    each = f"{since('what, name, instance', '!paused')} or {since('what, name', 'paused')}"
    return f'label_replace(time() - ({each}), "at", " at $1", "instance", "(.+)")'


def wrong():
    return [
        troubles("What is wrong, and for how long?", "s",
                 "Targets, the limiter, Kafka, dead letter topics or shards of which nothing works; by gate. The live "
                 "page of the gate and /v1/status say why.", lasting("bad"), "red", ROUTE, "{{what}} {{name}}{{at}}", "nothing"),
        troubles("What is held up, and for how long?", "s",
                 "Pauses that a target has asked for (Retry-After) or people (of all gates), attempts that fail, a reload that was "
                 "refused; by gate.", lasting("warning"), "orange", ROUTE, "{{what}} {{name}}{{at}}", "nothing"),
        troubles("How many records wait for that?", "short",
                 "Records that wait for the end of each; of a pause, those in Kafka too.",
                 f"sum by (what, name) ({select('einlass_trouble_waiting_records')}) > 0", "orange", ROUTE,
                 "{{what}} {{name}}", "none"),
    ]


def paused():
    ends = f"max by (what, name, who, why) ({select('einlass_pause_end_timestamp_seconds')})"
    left = f"({ends} > 0) - time() or {ends}"
    for label, sentence in (("who", " by $1"), ("why", ": $1")):  # Nothing where nobody said it.
        left = f'label_replace({left}, "{label}", "{sentence}", "{label}", "(.+)")'
    return [number("What have people paused, by whom, why, and until when?", "s",
                   "Until it goes on by itself. How long it has been paused stands above: what is held up.",
                   left, LIMITS, "{{what}} {{name}}{{who}}{{why}}", by_line=True, nothing="nothing",
                   steps=[(None, "orange")], mappings=said({0: "until it is resumed"}))]


def now():
    retention = f"max by (job, topic) ({select('einlass_topic_retention_seconds')})"
    return [
        number("How many gates are down?", "none", "Gates that Prometheus could not scrape the last time.",
               f"count({select('up')} == 0) or 0 * count({select('up')})", steps=BAD_FROM_1, mappings=said({0: "none"}),
               nothing="no gates"),
        number("How many are unexplained?", "none",
               "Received, and neither delivered, dead-lettered, returned, filtered nor in a gate. Always 0; anything else is "
               "a bug in Einlass.", f"max(abs({books()}))", ROUTE, steps=BAD_FROM_1, mappings=said({0: "none"})),
        number("How old is the oldest?", "s",
               "The age, by its timestamp in Kafka, of the oldest record that is not delivered yet.",
               f"max({select('einlass_route_lag_seconds')})", ROUTE),
        number("How much retention is used?", "percentunit",
               "That age, of the time for which Kafka keeps records of the topic. At 100 % records are lost.",
               f"max(max by (job, topic) ({select('einlass_lag_seconds')}) / {retention})", ROUTE, min=0, max=1,
               nothing="not known", steps=[(None, "green"), (0.5, "orange"), (0.7, "red")]),
        number("How late are deliveries?", "s",
               "From a record's timestamp in Kafka until the target accepted it: 99 of 100 take no longer.",
               quantile(0.99, "einlass_delivery_delay_seconds", "") + " >= 0", ROUTE, nothing="none delivered"),
        number("How many attempts fail?", "percentunit",
               "Of the route with the largest share of attempts that its target did not accept.",
               f"max({failing()}) or vector(0)", ROUTE, min=0, max=1,
               steps=[(None, "green"), (0.05, "orange"), (0.5, "red")]),
    ]


def where():
    return [
        lines("What do the records in the gates wait for?", "short",
              "limit: a permit. target: a slot there, or the end of a pause. retry: the next attempt. outage: a limiter that "
              "does not answer. order: the record before, which is in flight. A record behind others counts under what the "
              "first of its lane waits for.",
              [target(f"sum by (reason) ({select('einlass_waiting_records')})", "{{reason}}")], ROUTE, stacked=True,
              overrides=meanings(**CAUSES)),
        lines("Which limits do they wait for?", "short", "Records that wait for a permit, by the limit that denied it.",
              [target(f"sum by (limit) ({select('einlass_waiting_for_limit_records')})", "{{limit}}")], LIMITS,
              stacked=True),
        lines("How old is the oldest record of each route?", "s",
              "Lag in time: the age of the oldest record that is not delivered yet, by its timestamp in Kafka. It does not "
              "start again at a restart.", [target(f"max by (route) ({select('einlass_route_lag_seconds')})", "{{route}}")],
              ROUTE),
        lines("How many records are not delivered yet?", "short",
              "Lag: offsets between what is committed and the ends of the logs, by route. It grows while a limit binds.",
              [target(f"sum by (route) ({select('einlass_route_lag_records')})", "{{route}}")], ROUTE),
    ]


def flow():
    totals = ["received", "delivered", "dead_lettered", "returned", "filtered"]
    return [
        lines("Does as much come out as goes in?", RECORDS,
              "Read from Kafka, accepted by the target, acknowledged by the dead letter topic, given back to Kafka "
              "unfinished, left out by a filter.",
              [target(f"sum({rate(f'einlass_records_{one}_total')})", one.replace("_", " ")) for one in totals],
              ROUTE, overrides=meanings(blue="received", green="delivered", orange="dead lettered", yellow="returned",
                                        purple="filtered")),
        lines("What does each route deliver?", RECORDS, "Records that the target accepted, by route.",
              [target(f"sum by (route) ({rate('einlass_records_delivered_total')})", "{{route}}")], ROUTE),
    ]


def gates():
    return [
        lines("How busy is each event loop?", "percentunit",
              "CPU time of each shard's thread, of one core. Near 100 % it can do no more: add shards or gates.",
              [target(rate("einlass_loop_busy_seconds_total"), "{{instance}} shard {{shard}}")], max=1),
        lines("How much memory does each gate use?", "bytes", "Resident memory.",
              [target(select("process_resident_memory_bytes"), "{{instance}}")]),
        lines("How does Redis answer?", CALLS, "Calls by result: granted, denied, error, timeout.",
              [target(f"sum by (result) ({rate('einlass_limiter_calls_total', store='redis')})", "{{result}}")], LIMITS,
              stacked=True, overrides=meanings(**ANSWERS)),
        lines("How long does a call to Redis take?", "s", "From the call to its reply.",
              [target(quantile(q, "einlass_limiter_call_duration_seconds", "", store="redis"), f"p{name}")
               for q, name in ((0.5, 50), (0.99, 99))], LIMITS),
        lines("Do commits succeed?", "suffix: commits/s",
              "committed, failed (retried), fenced (the group no longer knows the gate).",
              [target(f"sum by (result) ({rate('einlass_commits_total')})", "{{result}}")],
              overrides=meanings(green="committed", orange="failed", red="fenced"), stacked=True),
        lines("Do partitions move?", "short",
              "Partitions in the interval that were assigned, revoked, or lost (taken away without a handover).",
              [target(f"sum by (change) (increase({select('einlass_partition_changes_total')}[$__rate_interval]))",
                      "{{change}}")], overrides=meanings(green="assigned", blue="revoked", red="lost"), stacked=True),
        lines("Since when does each gate run?", "s", "Time since the process started.",
              [target(f"time() - {select('process_start_time_seconds')}", "{{instance}}")]),
        lines("Since when does each configuration run?", "s",
              "Time since the running configuration was read. Where gates differ, one did not take the last reload.",
              [target(f"time() - {select('einlass_config_last_reload_success_timestamp_seconds')}", "{{instance}}")]),
    ]


def board():
    return dashboard("einlass-overview", "Overview", "What is wrong, where the records are, and how late they are.", [],
                     [("What is wrong", 3, 5, wrong()), ("What people have paused", 1, 4, paused()), ("Now", 6, 4, now()),
                      ("Where the records are", 2, 8, where()), ("In and out", 2, 8, flow()), ("Gates", 4, 7, gates())])
