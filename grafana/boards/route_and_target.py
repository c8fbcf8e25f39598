"""One route and its target: what goes through, what it waits for, how the target answers."""

from parts import dashboard, dashed, lines, number, quantile, rate, said, select, target, to

LIMITS, KAFKA = to("einlass-limits", "Limits"), to("einlass-kafka", "Kafka and ledger")
LOG = to("einlass-process", "Process and Redis")
ROUTE = {"route": "~$route"}


def share(outcome):
    """Of the attempts that ended, how many ended so."""
    attempts = f"sum({rate('einlass_attempts_total', **ROUTE)})"
    return f"sum({rate('einlass_attempts_total', outcome=outcome, **ROUTE)}) / {attempts}"


def now():
    return [
        number("How much is delivered?", "ops", "Records a second that the target accepted.",
               f"sum({rate('einlass_records_delivered_total', **ROUTE)})"),
        number("How many attempts fail?", "percentunit",
               "The share of attempts that are to be made again or were refused.",
               f"1 - {share('accepted')}", steps=[(None, "green"), (0.01, "orange"), (0.2, "red")]),
        number("How slow is the target?", "s", "The duration that one attempt of a hundred exceeds.",
               quantile(0.99, "einlass_attempt_duration_seconds", "", **ROUTE)),
        number("Is a target left alone?", "none",
               "Targets whose breaker is open at some gate: after too many failures in a row nothing is sent for a "
               "while, then one probe at a time.", f"sum({select('einlass_target_breaker_open')})",
               steps=[(None, "green"), (1, "red")], mappings=said({0: "no"})),
        number("Held for how long?", "s",
               "The longest pause that a target has asked for (Retry-After), or that its breaker still lasts.",
               f"max({select('einlass_target_held_seconds')})", steps=[(None, "green"), (1, "orange")]),
        number("How many never pass?", "none",
               "Records that cost more than their limits could ever pay. They wait for another configuration.",
               f"sum({select('einlass_never_records', **ROUTE)})", LIMITS, steps=[(None, "green"), (1, "red")]),
    ]


def flow():
    def each(metric, legend):
        return target(f"sum by (route) ({rate(metric, **ROUTE)})", legend)
    return [
        lines("What comes in, and what goes out?", "ops", "Records a second of each route.",
              [each("einlass_records_received_total", "{{route}} received"),
               each("einlass_records_delivered_total", "{{route}} delivered")]),
        lines("What do its records wait for?", "short",
              "limit: a permit. target: room there, or the end of a pause. retry: the next attempt. order: the record "
              "before. outage: a limiter that does not answer. in_flight: the answer to the attempt.",
              [target(f"sum by (reason) ({select('einlass_waiting_records', **ROUTE)})", "{{reason}}")], LIMITS,
              stacked=True),
        lines("How long do its records wait for a permit?", "s",
              "From a record's being ready to its permit's coming due, by route.",
              [target(quantile(q, "einlass_admission_wait_seconds", "route", **ROUTE), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.9, 90), (0.99, 99))], LIMITS),
        lines("How late are its permits used?", "s",
              "From a permit's coming due to its use, by route: for want of a place at the target, or while the record "
              "before is under way. It moves what the target sees.",
              [target(quantile(q, "einlass_permit_lateness_seconds", "route", **ROUTE), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.99, 99), (0.999, 99.9))], LIMITS),
        lines("How much does it give back or dead-letter?", "ops",
              "Records a second given back to Kafka unfinished (a partition moved, a gate stopped), and records on "
              "the dead letter topic, by the reason.",
              [target(f"sum({rate('einlass_records_returned_total', **ROUTE)})", "returned"),
               target(f"sum by (reason) ({rate('einlass_records_dead_lettered_total', **ROUTE)})", "{{reason}}")],
              KAFKA),
        lines("How many are inside, and how many were finished before?", "short",
              "Records inside now; and a second, those read again after a restart that were known to be finished.",
              [target(f"sum({select('einlass_records_inside', **ROUTE)})", "inside"),
               target(f"sum({rate('einlass_records_finished_before_total', **ROUTE)})", "finished before, a second")],
              KAFKA),
        lines("Is it read at full width?", "short",
              "Partitions of the route that the gates have, and those of them that are not read because the gate is "
              "full or waits. Held is usual while a limit binds.",
              [target(f"sum({select('einlass_partitions_assigned', **ROUTE)})", "assigned"),
               target(f"sum({select('einlass_partitions_held', **ROUTE)})", "held")], KAFKA),
    ]


def targets():
    return [
        lines("How do attempts end?", "ops",
              "accepted, retry (to be made again) or refused (to the dead letter topic).",
              [target(f"sum by (outcome) ({rate('einlass_attempts_total', **ROUTE)})", "{{outcome}}")], LOG,
              stacked=True),
        lines("How long does an attempt take?", "s", "From sending the request to the end of its answer.",
              [target(quantile(q, "einlass_attempt_duration_seconds", "route", **ROUTE), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.99, 99))]),
        lines("How many attempts are under way, of how many?", "short",
              "Attempts at each target, and the most that all gates together may have there (max_in_flight, dashed).",
              [target(f"sum by (target) ({select('einlass_target_in_flight')})", "{{target}}"),
               target(f"sum by (target) ({select('einlass_target_max_in_flight')})", "{{target}} at most")],
              overrides=[dashed("/ at most$/")]),
        lines("How many connections are open?", "short", "Connections of all gates to each target.",
              [target(f"sum by (target) ({select('einlass_target_connections')})", "{{target}}")]),
        lines("When was a target left alone, and for how long yet?", "s",
              "The seconds for which nothing is sent yet, by target: a Retry-After, or its breaker.",
              [target(f"max by (target) ({select('einlass_target_held_seconds')})", "{{target}}")], LOG),
        lines("Can each target take something?", "none",
              "1 while the breaker is open at some gate; 1 while it can take nothing before somebody acts: /readyz of "
              "the gate says why.",
              [target(f"max by (target) ({select('einlass_target_breaker_open')})", "{{target}} breaker open"),
               target(f"max by (target) ({select('einlass_target_unusable')})", "{{target}} unusable")], LOG),
    ]


def board():
    return dashboard("einlass-route", "Route and target", "What a route's records wait for, and how its target answers.",
                     ["route"], [("Now", 6, 4, now()), ("Route", 2, 8, flow()), ("Target", 2, 8, targets())])
