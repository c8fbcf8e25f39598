"""Kafka's side: how far behind, what is held, what is committed, how partitions move."""

from parts import dashboard, lines, number, rate, said, select, target, to

ROUTE, PROCESS = to("einlass-route", "Route and target"), to("einlass-process", "Process and Redis")
PARTITION = "{{topic}}/{{partition}}"


def by_partition(metric):
    return f"max by (topic, partition) ({select(metric)})"


def now():
    return [
        number("How far behind?", "short",
               "Offsets between what is committed and the ends of the logs, in all.",
               f"sum({select('einlass_lag_records')})"),
        number("How long until that is done?", "s",
               "The lag, at the pace at which records were finished in the last interval. Infinite while nothing moves.",
               f"sum({select('einlass_lag_records')}) / (sum({rate('einlass_records_delivered_total')}) + "
               f"sum({rate('einlass_records_dead_lettered_total')}))"),
        number("How old is the oldest?", "s",
               "Since the oldest unfinished record was taken in: no commit has passed it for so long.",
               f"max({select('einlass_oldest_unfinished_age_seconds')})"),
        number("Is every gate in the group?", "none", "Gates that are not members of the consumer group.",
               f"sum(1 - {select('einlass_kafka_joined')})", steps=[(None, "green"), (1, "red")],
               mappings=said({0: "yes"})),
        number("Can Kafka be reached?", "none", "Gates that reach no broker.",
               f"sum({select('einlass_kafka_brokers_down')})", steps=[(None, "green"), (1, "red")],
               mappings=said({0: "yes"})),
        number("Were offsets skipped?", "none",
               "Offsets that Kafka had deleted before they were read, or that were passed over, since the gates "
               "started.", f"sum({select('einlass_offsets_skipped_total')})",
               steps=[(None, "green"), (1, "red")], mappings=said({0: "no"})),
    ]


def reading():
    return [
        lines("How far behind is each partition?", "short",
              "Offsets from the committed one to the log's end. While a limit binds this grows, and is meant to: more "
              "gates do not help.", [target(by_partition("einlass_lag_records"), PARTITION)]),
        lines("How old is the oldest record inside, by partition?", "s",
              "Since it was taken in. One partition that grows alone has a record that does not get through.",
              [target(by_partition("einlass_oldest_unfinished_age_seconds"), PARTITION)], ROUTE),
        lines("Which partitions are held?", "short",
              "Partitions that a gate does not read now because it is full or waits, by gate. Usual while a limit "
              "binds.", [target(f"sum by (instance) ({select('einlass_partitions_held')})", "{{instance}}")], ROUTE),
        lines("Who has how many partitions?", "short", "Assigned partitions by gate.",
              [target(f"sum by (instance) ({select('einlass_partitions_assigned')})", "{{instance}}")]),
    ]


def ledger():
    return [
        lines("How fast do commits move?", "ops", "Offsets a second that the committed one moves on, by partition.",
              [target(f"max by (topic, partition) (deriv({select('einlass_committed_offset')}[$__rate_interval]))",
                      PARTITION)]),
        lines("How many are finished ahead?", "short",
              "Records finished behind one that is not: they are remembered in the commit, and not delivered again.",
              [target(by_partition("einlass_finished_ahead_records"), PARTITION)], ROUTE),
        lines("Do commits succeed?", "ops",
              "Commits a second: committed, failed (made again), fenced (the group no longer knows the gate).",
              [target(f"sum by (result) ({rate('einlass_commits_total')})", "{{result}}")], PROCESS),
        lines("Do partitions move?", "ops",
              "Partitions a second that were assigned, revoked, or lost (taken away without asking).",
              [target(f"sum by (change) ({rate('einlass_partition_changes_total')})", "{{change}}")], PROCESS),
        lines("What was given back, and what was known to be finished?", "ops",
              "Records a second given back unfinished; and those read again that the last commit named as finished.",
              [target(f"sum({rate('einlass_records_returned_total')})", "returned"),
               target(f"sum({rate('einlass_records_finished_before_total')})", "finished before")], ROUTE),
        lines("Which offsets were never read?", "ops",
              "Offsets a second that Kafka had deleted (retention), in a topic that was made again (recreated), or "
              "passed over because auto_offset_reset is latest (reset).",
              [target(f"sum by (topic, reason) ({rate('einlass_offsets_skipped_total')})", "{{topic}} {{reason}}")]),
    ]


def board():
    return dashboard("einlass-kafka", "Kafka and ledger", "How far behind, what is held, what is committed.", [],
                     [("Now", 6, 4, now()), ("Reading", 2, 8, reading()), ("Ledger", 2, 8, ledger())])
