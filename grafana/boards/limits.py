"""The limits: what is used of what is allowed, who waits, and how the limiters answer."""

from boards.overview import allowed, used
from parts import RATE, dashboard, dashed, lines, number, quantile, rate, said, select, target, to

ROUTE, PROCESS = to("einlass-route", "Route and target"), to("einlass-process", "Process and Redis")
LIMIT = {"limit": "~$limit"}


def admitted(by):
    return f"sum by ({by}) ({rate('einlass_admissions_total', **LIMIT)})"


def under_way():
    """Attempts of the routes that keep to a limit of attempts under way, by that limit."""
    attempts = f"sum by (job, instance, route) ({select('einlass_waiting_records', reason='in_flight')})"
    pairs = f"group by (job, instance, route, limit) ({select('einlass_admissions_total', **LIMIT)})"
    info = select("einlass_limit_info", algorithm="concurrency", **LIMIT)
    return (f"sum by (limit) ({pairs} * on (job, instance, route) group_left () {attempts} "
            f"* on (job, instance, limit) group_left () {info})")


def now():
    policy = f"max by (policy) ({select('einlass_outage_policy_in_force', **LIMIT)}) == 1"
    return [
        number("How full is it?", "percentunit",
               "Permits used of those allowed, in the last interval. 100 % is a limit that does its work.",
               f"max({used(**LIMIT)})", min=0, max=1),
        number("How full at worst?", "percentunit",
               "The fullest interval in the time that is shown, of what is allowed. Above 100 % only where a burst is "
               "allowed, or where gates in an outage kept limits of their own.",
               f"max(max_over_time(({used(**LIMIT)})[$__range:$__rate_interval]))", min=0, max=1),
        number("How much of it is left?", "ops",
               "Permits a second that were allowed and not used in the last interval, of the fullest limit.",
               f"min(clamp_min(({allowed(**LIMIT)}) - on (limit) {admitted('limit')}, 0))"),
        number("How often in vain?", "percentunit",
               "Of all asks at the stores, those that were denied.",
               f"sum({rate('einlass_limiter_calls_total', result='denied')}) / "
               f"sum({rate('einlass_limiter_calls_total')})", PROCESS),
        number("How many wait for it?", "short", "Records that have everything but a permit.",
               f"sum({select('einlass_waiting_records', reason='limit')})", ROUTE),
        number("Is its store away?", "none",
               "1 while some limit's store does not answer: hold, pass or local_share then says what happens.",
               f"count({policy}) or vector(0)", PROCESS, steps=[(None, "green"), (1, "red")],
               mappings=said({0: "no"})),
    ]


def allowance():
    return [
        lines("How much is used of what is allowed?", "percentunit",
              "Of the limits that all records share: permits used a second, of those allowed in the long run.",
              [target(used(**LIMIT), "{{limit}}")]),
        lines("How many permits are used, and how many allowed?", "ops",
              "By limit: used by all gates, and allowed (dashed). For a limit by key the dashed line is missing: it "
              "allows as much to each key.",
              [target(admitted("limit"), "{{limit}} used"), target(allowed(**LIMIT), "{{limit}} allowed")],
              overrides=[dashed("/ allowed$/")]),
        lines("How many attempts are under way, of how many allowed?", "short",
              "Of limits that count attempts under way (concurrency): now, and the most allowed (dashed).",
              [target(under_way(), "{{limit}}"),
               target(f"max by (limit) ({select('einlass_limit_allowed_permits', **LIMIT)} * on (job, instance, limit) "
                      f"group_left () {select('einlass_limit_info', algorithm='concurrency', key='none', **LIMIT)})",
                      "{{limit}} at most")], overrides=[dashed("/ at most$/")]),
        lines("How many permits are left over?", "ops",
              "Permits a second that were allowed and not used, by limit.",
              [target(f"clamp_min(({allowed(**LIMIT)}) - on (limit) {admitted('limit')}, 0)", "{{limit}}")]),
        lines("How are the permits shared by the gates?", "ops", "Permits used a second, by gate.",
              [target(f"sum by (instance) ({rate('einlass_admissions_total', **LIMIT)})", "{{instance}}")], PROCESS),
        lines("How much was admitted without a permit?", "ops",
              "Records a second that passed while the limiter did not answer, where all limits of the route say pass "
              "or local_share.", [target(f"sum by (route) ({rate('einlass_stand_in_admissions_total')})", "{{route}}")],
              ROUTE),
    ]


def waiting():
    return [
        lines("Which limit rejects?", "ops", "Asks denied a second, by the limit that was the reason.",
              [target(f"sum by (limit) ({rate('einlass_rejections_total', **LIMIT)})", "{{limit}}")], ROUTE),
        lines("Whose records wait?", "short",
              "Records waiting by key: the ten keys of each route with most of them, and all others.",
              [target(f"sum by (route, key) ({select('einlass_waiting_key_records')})", "{{route}}: {{key}}")], ROUTE,
              stacked=True),
        lines("How long do records wait for a permit?", "s", "From being ready to the permit's coming due.",
              [target(quantile(q, "einlass_admission_wait_seconds", "route"), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.99, 99))], ROUTE),
        lines("How many permits are given back unused?", "ops",
              "Permits a second that were granted and not used in time. Few is usual; many mean that targets have no "
              "room when their permits come due.",
              [target(f"sum by (limit) ({rate('einlass_permits_released_total', **LIMIT)})", "{{limit}}")], ROUTE),
    ]


def shadows():
    """Limits that nobody obeys, against what really left."""
    def said(word):
        return f"sum by (route, limit) ({rate(f'einlass_shadow_{word}_total', **LIMIT)})"
    asked = f"({said('admissions')} + {said('rejections')})"
    left = (f"sum by (route) ({rate('einlass_attempts_total')}) and on (route) "
            f"({rate('einlass_shadow_admissions_total', **LIMIT)})")
    return [
        lines("What would the shadow limits let through?", "ops",
              "Attempts a second that a limit with shadow: true had a permit for, and all that left (dashed). Where the "
              "two are apart, records would have waited.",
              [target(said("admissions"), "{{route}}: {{limit}}"), target(left, "{{route}} left")], ROUTE,
              overrides=[dashed("/ left$/")]),
        lines("What share would they make wait?", "percentunit",
              "Of the attempts that left, those that a limit with shadow: true had no permit for. None is a limit that "
              "would change nothing.", [target(f"{said('rejections')} / {asked}", "{{route}}: {{limit}}")], ROUTE, max=1),
        lines("Do the shadow limits answer?", "ops",
              "Attempts a second of which nobody knows what a limit with shadow: true would have said: its store did not "
              "answer in time.", [target(said("unanswered"), "{{route}}: {{limit}}")], PROCESS),
    ]


def shares():
    """Flows by weight and level."""
    return [
        lines("How are the permits shared by the flows?", "ops",
              "Permits used a second by flow, of those that a share names, and all others.",
              [target(f"sum by (share, flow) ({rate('einlass_share_permits_total')})", "{{share}}: {{flow}}")], PROCESS,
              stacked=True),
        lines("Which levels wait?", "short",
              "Records that could leave if it were their turn, by level. A share without levels has one, all.",
              [target(f"sum by (share, level) ({select('einlass_share_waiting')})", "{{share}}: {{level}}")], PROCESS,
              stacked=True),
    ]


def stores():
    permits = f"sum(rate({select('einlass_admissions_total')}{RATE}))"
    return [
        lines("How do the stores answer?", "ops", "Calls a second by their result: granted, denied, error, timeout.",
              [target(f"sum by (store, result) ({rate('einlass_limiter_calls_total')})", "{{store}} {{result}}")],
              PROCESS, stacked=True),
        lines("How many calls does a permit take?", "short",
              "Calls to the stores for each permit used. Below 1 while permits are asked for in batches.",
              [target(f"sum({rate('einlass_limiter_calls_total')}) / {permits}", "calls")], PROCESS),
    ]


def board():
    return dashboard("einlass-limits", "Limits", "What is used of what is allowed, who waits, how the limiters answer.",
                     ["limit"], [("Now", 6, 4, now()), ("Allowed and used", 2, 8, allowance()),
                                 ("Waiting", 2, 8, waiting()),
                                 ("Shares", 2, 8, shares()), ("Shadow limits", 3, 8, shadows()), ("Stores", 2, 8, stores())])
