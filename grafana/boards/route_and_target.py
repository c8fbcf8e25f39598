"""Route by route: what goes through, what it waits for, how late it is, how its target answers. Never one number for several
routes where the worst is meant: a mean over those that live hides one that is dead."""

from boards.overview import CAUSES, failing
from parts import (BAD_FROM_1, RECORDS, colored, dashboard, dashed, lines, meanings, number, quantile, rate, select, target, to,
                   troubles)

LIMITS, OVERVIEW = to("einlass-limits", "Limits and tenants"), to("einlass-overview", "Overview")
ROUTE = {"route": "~$route"}
PARTITION = "{{topic}} {{partition}}"


def now():
    inside = f"sum by (job, route) ({select('einlass_records_inside', **ROUTE)})"
    delivered = f"sum by (job, route) ({rate('einlass_records_delivered_total', **ROUTE)})"
    waits = (f"sum by (job, instance, target) ({select('einlass_records_inside')} * on (job, instance, route) "
             f"group_left (target) {select('einlass_route_info')}) > 0")
    open_at = (f"max by (target) ({select('einlass_target_breaker_open')} == 1 and on (job, instance, target) {waits})")
    unusable = f"max by (target) ({select('einlass_target_unusable')})"
    meant = f"sum by (job, route) ({select('einlass_waiting_records', reason='~limit|paused|not_before', **ROUTE)})"
    return [
        troubles("Which routes stand still?", "short", "Routes with records in the gates of which none was delivered in the "
                 "last interval, and how many records they have there; not while more than half of them wait for a limit, the end "
                 "of a pause or their not_before.",
                 f"sum by (route) (({inside} > 0 and {delivered} == 0) unless ({meant} > 0.5 * {inside}))", "red",
                 LIMITS, "{{route}}", "none"),
        troubles("Which targets are down?", "short", "Targets whose circuit breaker is open at some gate that has records "
                 "for them, or to which nothing can be delivered until you act; with the attempts in flight there. One of which all "
                 "attempts fail is not here before its breaker opens, which takes minutes where attempts are rare.",
                 f"sum by (target) ({select('einlass_target_in_flight')}) and on (target) "
                 f"({open_at} or {unusable} == 1)", "red", OVERVIEW, "{{target}}", "none"),
        troubles("Which targets are paused?", "s", "For how much longer nothing is sent: a Retry-After, or an open breaker.",
                 f"max by (target) ({select('einlass_target_held_seconds')}) > 0", "orange", OVERVIEW, "{{target}}", "none"),
        number("How many attempts fail?", "percentunit", "By route: attempts that the target did not accept.",
               failing(**ROUTE), legend="{{route}}", min=0, max=1, nothing="no attempts",
               steps=[(None, "green"), (0.05, "orange"), (0.5, "red")]),
        number("How slow is each target?", "s", "By route: 99 of 100 attempts take no longer.",
               quantile(0.99, "einlass_attempt_duration_seconds", "route", **ROUTE) + " >= 0", legend="{{route}}",
               nothing="no attempts"),
        number("How many can never pass?", "short",
               "Records that cost more than their limits can ever grant. They wait until the configuration changes.",
               f"sum({select('einlass_never_records', **ROUTE)})", LIMITS, steps=BAD_FROM_1),
    ]


def flow():
    def each(metric, legend):
        return target(f"sum by (route) ({rate(metric, **ROUTE)})", legend)

    def quantiles(metric, *named):
        return [target(quantile(q, metric, "route", **ROUTE), f"{{{{route}}}} p{name}") for q, name in named]
    return [
        lines("What comes in, and what goes out?", RECORDS, "Records of each route: received and delivered.",
              [each("einlass_records_received_total", "{{route}} received"),
               each("einlass_records_delivered_total", "{{route}} delivered")]),
        lines("What do its records wait for?", "short",
              "By route and reason, as on the overview. A record behind others counts under what the first of its lane waits "
              "for.", [target(f"sum by (route, reason) ({select('einlass_waiting_records', **ROUTE)}) > 0",
                              "{{route}} {{reason}}")], LIMITS, stacked=True, overrides=meanings(of_each=True, **CAUSES)),
        lines("How old are records when they are delivered?", "s",
              "End-to-end delay: from the timestamp in Kafka until the target accepted the record, by route.",
              quantiles("einlass_delivery_delay_seconds", (0.5, 50), (0.99, 99))),
        lines("How old is the oldest that is not delivered?", "s", "Lag in time, by its timestamp in Kafka, by route.",
              [target(f"max by (route) ({select('einlass_route_lag_seconds', **ROUTE)})", "{{route}}")]),
        lines("How long do its records wait for a permit?", "s", "From being ready to leave until the permit was due.",
              quantiles("einlass_admission_wait_seconds", (0.5, 50), (0.99, 99)), LIMITS),
        lines("How late are its permits used?", "s",
              "From when a permit was due until it was used: for want of a slot at the target, or while the record before is "
              "in flight. It moves what the target sees.",
              quantiles("einlass_permit_lateness_seconds", (0.5, 50), (0.99, 99)), LIMITS),
        lines("What is not delivered?", RECORDS,
              "On the dead letter topic, by reason; given back to Kafka unfinished (a partition moved, a gate stopped); and "
              "left out by a filter.",
              [target(f"sum by (route, reason) ({rate('einlass_records_dead_lettered_total', **ROUTE)}) > 0",
                      "{{route}} {{reason}}"),
               each("einlass_records_returned_total", "{{route}} returned"),
               target(f"sum by (route) ({rate('einlass_records_filtered_total', **ROUTE)}) > 0", "{{route}} filtered")],
              OVERVIEW, overrides=[colored("/./", "orange", "shades"),
                                   *meanings(of_each=True, yellow="returned", purple="filtered")]),
        lines("How many partitions are paused, of how many?", "short",
              "Partitions that are not read because the gate is full or people have paused them, and all of the route (dashed). "
              "Normal while a limit binds.",
              [target(f"sum by (route) ({select('einlass_partitions_held', **ROUTE)})", "{{route}} paused"),
               target(f"sum by (route) ({select('einlass_partitions_assigned', **ROUTE)})", "{{route}} assigned")],
              overrides=[dashed("/ assigned$/")]),
    ]


def targets():
    return [
        lines("What share of each route's attempts fails?", "percentunit", "Attempts that the target did not accept.",
              [target(failing(**ROUTE), "{{route}}")], max=1),
        lines("How do attempts end?", "suffix: attempts/s", "accepted, retry, or refused (to the dead letter topic).",
              [target(f"sum by (route, outcome) ({rate('einlass_attempts_total', **ROUTE)}) > 0", "{{route}} {{outcome}}")],
              stacked=True, overrides=meanings(of_each=True, green="accepted", yellow="retry", orange="refused")),
        lines("How long does an attempt take?", "s", "From sending the request to the end of its response.",
              [target(quantile(q, "einlass_attempt_duration_seconds", "route", **ROUTE), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.99, 99))]),
        lines("How many attempts are in flight, of how many?", "short",
              "At each target, and the most that all gates together may have there (max_in_flight, dashed).",
              [target(f"sum by (target) ({select('einlass_target_in_flight')})", "{{target}}"),
               target(f"sum by (target) ({select('einlass_target_max_in_flight')})", "{{target}} at most")],
              overrides=[dashed("/ at most$/")]),
        lines("When was a target paused, and for how long?", "s",
              "For how much longer nothing is sent, by target: a Retry-After, or its breaker.",
              [target(f"max by (target) ({select('einlass_target_held_seconds')})", "{{target}}")]),
        lines("How many connections are open?", "short", "Connections of all gates to each target.",
              [target(f"sum by (target) ({select('einlass_target_connections')})", "{{target}}")]),
    ]


def partitions():
    def each(metric):
        return target(f"max by (topic, partition) ({select(metric)})", PARTITION)
    return [
        lines("How far behind is each partition?", "short", "Offsets from the committed one to the end of the log.",
              [each("einlass_lag_records")]),
        lines("How old is the oldest of each partition?", "s",
              "By its timestamp in Kafka. One partition that grows alone has a record that does not get through.",
              [each("einlass_lag_seconds")]),
        lines("How many are completed out of order?", "short",
              "Records finished behind one that is not: the commit names them, and they are not delivered again.",
              [each("einlass_finished_ahead_records")]),
        lines("Which offsets were never read?", "short",
              "Since each gate was started: deleted by Kafka before they were read (retention), in a topic that was recreated "
              "(recreated), or skipped because auto_offset_reset is latest (reset).",
              [target(f"sum by (topic, reason) ({select('einlass_offsets_skipped_total')}) > 0", "{{topic}} {{reason}}")]),
    ]


def board():
    return dashboard("einlass-route", "Route and target", "What a route's records wait for, and how its target answers.",
                     ["route"], [("Now", 6, 4, now()), ("Route", 2, 8, flow()), ("Target", 3, 8, targets()),
                                 ("Partitions", 4, 7, partitions())])
