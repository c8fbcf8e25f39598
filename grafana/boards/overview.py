"""At one look: is it admitting, rejecting or waiting, and why."""

from parts import dashboard, dashed, lines, number, quantile, rate, said, select, target, to

ROUTE, LIMITS = to("einlass-route", "Route and target"), to("einlass-limits", "Limits")
KAFKA, PROCESS = to("einlass-kafka", "Kafka and ledger"), to("einlass-process", "Process and Redis")

GREEN_AT_0 = [(None, "green"), (1, "red")]


def books():
    """What the books do not explain, by gate and route: 0 if they close."""
    by = "sum by (job, instance, route)"
    parts = ["einlass_records_delivered_total", "einlass_records_dead_lettered_total",
             "einlass_records_returned_total", "einlass_records_inside"]
    return f"{by} ({select('einlass_records_received_total')})" + "".join(f" - {by} ({select(one)})" for one in parts)


def allowed(**labels):
    """Of the limits that all records share: what the whole fleet may, by limit."""
    permits = select("einlass_limit_allowed_permits_per_second", **labels)

    def kept_in(store):
        info = select("einlass_limit_info", store=store, key="none", shadow="!true")
        return f"{permits} * on (job, instance, limit) group_left () {info}"
    return f"max by (limit) ({kept_in('redis')}) or sum by (limit) ({kept_in('memory')})"


def used(**labels):
    """How much of a limit is used: by limit, 1 is all of it."""
    return f"sum by (limit) ({rate('einlass_admissions_total', **labels)}) / ({allowed(**labels)})"


def now():
    waiting = select("einlass_waiting_records", reason="!in_flight")
    stores = f"sum(1 - {select('einlass_store_up')}) or vector(0)"
    troubles = " + ".join([f"sum({select('einlass_target_breaker_open')})", f"sum({select('einlass_target_unusable')})",
                           f"sum({select('einlass_dead_letters_unusable')})",
                           f"({stores})", f"sum({select('einlass_kafka_brokers_down')})"])
    return [
        number("How many gates answer?", "none", "Gates that Prometheus could scrape the last time.",
               f"sum({select('up')})", PROCESS, steps=[(None, "red"), (1, "green")]),
        number("Do the books close?", "none",
               "Records that were received and are neither delivered, dead-lettered, returned nor inside. Always 0; "
               "anything else is a mistake of Einlass.", f"max(abs({books()}))", ROUTE, steps=GREEN_AT_0,
               mappings=said({0: "closed"})),
        number("What is out of order?", "none",
               "Targets whose breaker is open or that can take nothing, dead letter topics that cannot be written, stores "
               "that do not answer, gates that reach no broker.", troubles, ROUTE, steps=GREEN_AT_0, mappings=said({0: "nothing"})),
        number("How full is a limit?", "percentunit",
               "The share of what the limit allows that was admitted in the last interval. 100 % is a limit that "
               "does its work, not a mistake.", f"max({used()})", LIMITS, min=0, max=1),
        number("How many wait inside?", "short",
               "Records taken in and not under way to their target. The rest of the lag is still in Kafka.",
               f"sum({waiting})", ROUTE),
        number("How many are still to do?", "short",
               "Offsets between what is committed and the ends of the logs: what is inside and what is not read yet.",
               f"sum({select('einlass_lag_records')})", KAFKA),
    ]


def flow():
    return [
        lines("How much is admitted, and how much would be allowed?", "ops",
              "Permits used a second by each limit that all records share, and what it allows (dashed). A limit by "
              "key allows as much to each key, and stands on the page Limits.",
              [target(f"sum by (limit) ({rate('einlass_admissions_total')})", "{{limit}} admitted"),
               target(allowed(), "{{limit}} allowed")], LIMITS,
              overrides=[dashed("/ allowed$/")]),
        lines("Which limit rejects?", "ops",
              "Asks that were denied, by the limit that was the reason. Each denied ask is repeated at the instant "
              "that the limiter named.",
              [target(f"sum by (limit) ({rate('einlass_rejections_total')})", "{{limit}}")], LIMITS),
        lines("How long do records wait for a permit?", "s",
              "From a record's being ready to its permit's coming due: the median, and what one of a hundred exceeds.",
              [target(quantile(0.5, "einlass_admission_wait_seconds", ""), "p50"),
               target(quantile(0.99, "einlass_admission_wait_seconds", ""), "p99")], LIMITS),
        lines("What do the records inside wait for?", "short",
              "limit: a permit. target: room there, or the end of a pause. retry: the next attempt. order: the record "
              "before. outage: a limiter that does not answer. in_flight: the answer to the attempt.",
              [target(f"sum by (reason) ({select('einlass_waiting_records')})", "{{reason}}")], ROUTE, stacked=True),
    ]


def books_row():
    totals = ["received", "delivered", "dead_lettered", "returned"]
    return [
        lines("Does as much come out as goes in?", "ops",
              "Records a second: taken in from Kafka, accepted by the target, acknowledged by the dead letter topic, "
              "given back unfinished to Kafka.",
              [target(f"sum({rate(f'einlass_records_{one}_total')})", one.replace("_", " ")) for one in totals], ROUTE),
        lines("Why are records dead-lettered?", "ops", "Records a second on the dead letter topics, by the reason.",
              [target(f"sum by (reason) ({rate('einlass_records_dead_lettered_total')})", "{{reason}}")], ROUTE),
        lines("Do the books close, and how many are inside?", "short",
              "Inside, and what the books do not explain (always 0).",
              [target(f"sum({select('einlass_records_inside')})", "inside"),
               target(f"sum(abs({books()}))", "unexplained")], ROUTE),
        lines("How old is the oldest record inside?", "s",
              "Since the oldest unfinished record of any partition was taken in. It grows while something does not "
              "move.", [target(f"max by (topic) ({select('einlass_oldest_unfinished_age_seconds')})", "{{topic}}")],
              KAFKA),
    ]


def board():
    return dashboard("einlass-overview", "Overview", "Whether the gates admit, reject or wait, and why.", [],
                     [("Now", 6, 4, now()), ("Admission", 2, 8, flow()),
                      ("Delivery and the books", 2, 8, books_row())])
