"""The processes themselves, and the limiter's store."""

from parts import dashboard, lines, number, quantile, rate, said, select, target, to

LIMITS, KAFKA = to("einlass-limits", "Limits"), to("einlass-kafka", "Kafka and ledger")


def now():
    return [
        number("How many gates answer?", "none", "Gates that Prometheus could scrape the last time.",
               f"sum({select('up')})", steps=[(None, "red"), (1, "green")]),
        number("How busy is a loop?", "percentunit",
               "CPU time of its thread. Near 100 % it can do no more: give the gate more shards, or add gates.",
               f"max({rate('einlass_loop_busy_seconds_total')})", min=0, max=1,
               steps=[(None, "green"), (0.7, "orange"), (0.9, "red")]),
        number("Does Redis answer?", "none", "Gates at which the limiter's store does not answer every shard.",
               f"sum(1 - {select('einlass_store_up')}) or vector(0)", LIMITS, steps=[(None, "green"), (1, "red")],
               mappings=said({0: "yes"})),
        number("Was the last reload taken?", "none",
               "Gates that run something else than their file said when it was last read.",
               f"sum(1 - {select('einlass_config_last_reload_successful')})", steps=[(None, "green"), (1, "red")],
               mappings=said({0: "yes"})),
        number("Do all shards answer?", "none", "Shards whose numbers are old, because their loops do not turn.",
               f"sum({select('einlass_shards')} - {select('einlass_shards_answering')})",
               steps=[(None, "green"), (1, "red")], mappings=said({0: "yes"})),
        number("How many versions run?", "none", "Different versions of Einlass. More than 1 during an upgrade only.",
               f"count(group by (version) ({select('einlass_build_info')}))",
               steps=[(None, "green"), (2, "orange")]),
    ]


def process():
    return [
        lines("How much CPU does each gate use?", "short", "Cores: CPU seconds a second, all threads.",
              [target(rate("process_cpu_seconds_total"), "{{instance}}")]),
        lines("How busy is each loop?", "percentunit", "CPU time of each shard's thread, of one core.",
              [target(rate("einlass_loop_busy_seconds_total"), "{{instance}} shard {{shard}}")]),
        lines("How long does a turn of the loop take?", "s",
              "What one turn of a hundred exceeds: so long an answer may wait until it is looked at.",
              [target(quantile(0.99, "einlass_loop_turn_seconds", "instance"), "{{instance}} p99")]),
        lines("How much memory does each gate use?", "bytes", "Resident memory.",
              [target(select("process_resident_memory_bytes"), "{{instance}}")], KAFKA),
        lines("How many files are open, of how many?", "percentunit",
              "Of the file descriptors that the process may have.",
              [target(f"{select('process_open_fds')} / {select('process_max_fds')}", "{{instance}}")]),
        lines("Since when does each gate run?", "s", "Time since the process started.",
              [target(f"time() - {select('process_start_time_seconds')}", "{{instance}}")]),
        lines("How do reloads end?", "short",
              "Reloads in the last hour: applied, wrong (mistakes in the file), needs_restart (nothing was changed).",
              [target(f"sum by (result) (increase({select('einlass_config_reloads_total')}[1h]))", "{{result}}")]),
        lines("Since when does each configuration run?", "s",
              "Time since the running configuration was read.",
              [target(f"time() - {select('einlass_config_last_reload_success_timestamp_seconds')}", "{{instance}}")]),
        lines("What becomes of spans?", "ops",
              "With tracing: spans a second that the collector took, and those that it will never have.",
              [target(f"sum({rate('einlass_spans_exported_total')})", "exported"),
               target(f"sum({rate('einlass_spans_dropped_total')})", "dropped")]),
    ]


def redis():
    return [
        lines("How does Redis answer?", "ops", "Calls a second by their result.",
              [target(f"sum by (result) ({rate('einlass_limiter_calls_total', store='redis')})", "{{result}}")],
              LIMITS, stacked=True),
        lines("How long does a call to Redis take?", "s", "From the call to its answer.",
              [target(quantile(q, "einlass_limiter_call_duration_seconds", "", store="redis"), f"p{name}")
               for q, name in ((0.5, 50), (0.99, 99))], LIMITS),
        lines("How many connections to Redis work?", "short", "Connections of all shards to all servers, by state.",
              [target(f"sum by (state) ({select('einlass_store_connections', store='redis')})", "{{state}}")]),
        lines("Which policy for outages is in force?", "none",
              "1 while the store of a limit does not answer: hold, pass or local_share.",
              [target(f"max by (limit, policy) ({select('einlass_outage_policy_in_force')})", "{{limit}} {{policy}}")],
              LIMITS),
    ]


def board():
    return dashboard("einlass-process", "Process and Redis", "The processes themselves, and the limiters' store.", [],
                     [("Now", 6, 4, now()), ("Process", 2, 8, process()), ("Redis", 2, 8, redis())])
