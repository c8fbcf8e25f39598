"""The limits: what is used of what is allowed, which tenants are at their limit, and how the limiters answer."""

from boards.overview import ANSWERS, allowed, at_once, used
from parts import (BAD_FROM_1, CALLS, PERMITS, RATE, bars, dashboard, dashed, lines, meanings, number, quantile, rate, said,
                   select, target, to)

ROUTE, OVERVIEW = to("einlass-route", "Route and target"), to("einlass-overview", "Overview")
LIMIT = {"limit": "~$limit"}


def admitted(by):
    return f"sum by ({by}) ({rate('einlass_admissions_total', **LIMIT)})"


def under_way():
    """Attempts of the routes that keep to a limit of attempts in flight, by that limit."""
    attempts = f"sum by (job, instance, route) ({select('einlass_waiting_records', reason='in_flight')})"
    pairs = f"group by (job, instance, route, limit) ({select('einlass_admissions_total', **LIMIT)})"
    info = select("einlass_limit_info", algorithm="concurrency", **LIMIT)
    return (f"sum by (limit) ({pairs} * on (job, instance, route) group_left () {attempts} "
            f"* on (job, instance, limit) group_left () {info})")


def full_keys(by=""):
    groups = f" by ({by})" if by else ""
    return (f"sum{groups} ({select('einlass_limit_full_keys', **LIMIT)})",
            f"sum{groups} ({select('einlass_limit_active_keys', **LIMIT)})")


def now():
    policy = f"max by (policy) ({select('einlass_outage_policy_in_force', **LIMIT)}) == 1"
    full, active = full_keys()
    return [
        number("How many wait for it?", "short", "Records that wait for a permit of the chosen limits.",
               f"sum({select('einlass_waiting_for_limit_records', **LIMIT)})", ROUTE),
        number("How full is the fullest?", "percentunit",
               "Of the limits that all records share: permits used of those allowed. 100 % is a limit that does its work.",
               f"max({used(**LIMIT)})", min=0, max=1, nothing="none is shared"),
        number("How many keys are at it?", "short",
               "Of the limits with a key: keys whose records wait for it, summed over the gates.", f"{full}",
               nothing="none has a key"),
        number("What share of the keys?", "percentunit",
               "Of the keys that have records in the gates. A few keys at their limit are noisy tenants; most of them mean "
               "that the limit is too small.", f"{full} / ({active} > 0)", min=0, max=1, nothing="none has a key"),
        number("How many asks are denied?", "percentunit", "Of all calls to the stores.",
               f"sum({rate('einlass_limiter_calls_total', result='denied')}) / "
               f"(sum({rate('einlass_limiter_calls_total')}) > 0)", OVERVIEW, nothing="no calls"),
        number("Is its store unavailable?", "none",
               "Policies in force because some limit's store does not answer: hold, pass or local_share.",
               f"count({policy}) or vector(0)", OVERVIEW, steps=BAD_FROM_1, mappings=said({0: "no"})),
    ]


def who():
    full, active = full_keys("limit")
    return [
        bars("Whose records wait?", "short",
             "Keys with most waiting records, and all others of their routes: the queue of each.",
             f"topk(11, sum by (route, key) ({select('einlass_waiting_key_records')}) > 0)", "{{route}}: {{key}}", ROUTE),
        lines("How many records wait for each limit?", "short",
              "Records that wait for a permit, with those behind others, by the limit that denied it.",
              [target(f"sum by (limit) ({select('einlass_waiting_for_limit_records', **LIMIT)})", "{{limit}}")], ROUTE,
              stacked=True),
        lines("How many keys are at their limit, of how many?", "short",
              "Of the limits with a key: keys whose records wait for it, and keys that have records in the gates (dashed).",
              [target(full, "{{limit}} at it"), target(active, "{{limit}} active")], overrides=[dashed("/ active$/")]),
        lines("How long do records wait for a permit?", "s", "From when they were ready to leave until the permit was due.",
              [target(quantile(q, "einlass_admission_wait_seconds", "route"), f"{{{{route}}}} p{name}")
               for q, name in ((0.5, 50), (0.99, 99))], ROUTE),
    ]


def allowance():
    return [
        lines("How much is used of what is allowed?", "percentunit",
              "Of the limits that all records share: permits used, of those allowed in the long run.",
              [target(used(**LIMIT), "{{limit}}")]),
        lines("How many permits are used, and how many allowed?", PERMITS,
              "By limit: used by all gates together, and allowed to all gates together (dashed). A limit with a key allows as "
              "much to each key, so it has no dashed line.",
              [target(admitted("limit"), "{{limit}} used"), target(allowed(**LIMIT), "{{limit}} allowed")],
              overrides=[dashed("/ allowed$/")]),
        lines("How many attempts are in flight, of how many?", "short",
              "Of concurrency limits: now, and the most allowed (dashed).",
              [target(under_way(), "{{limit}}"),
               target(at_once(**LIMIT), "{{limit}} at most")], overrides=[dashed("/ at most$/")]),
        lines("How are the permits shared by the gates?", PERMITS, "Permits used, by gate.",
              [target(f"sum by (instance) ({rate('einlass_admissions_total', **LIMIT)})", "{{instance}}")], OVERVIEW),
        lines("Which limit denies?", "suffix: denials/s",
              "Denied requests, by the limit that was the reason. Each is repeated at the instant that the limiter named.",
              [target(f"sum by (limit) ({rate('einlass_rejections_total', **LIMIT)})", "{{limit}}")], ROUTE),
        lines("How many permits are given back unused?", PERMITS,
              "Granted and not used in time. Few is normal; many mean that targets have no slot when their permits are due.",
              [target(f"sum by (limit) ({rate('einlass_permits_released_total', **LIMIT)})", "{{limit}}")], ROUTE),
    ]


def stores():
    permits = f"sum(rate({select('einlass_admissions_total')}{RATE}))"
    return [
        lines("How do the stores answer?", CALLS, "Calls by store and result.",
              [target(f"sum by (store, result) ({rate('einlass_limiter_calls_total')})", "{{store}} {{result}}")],
              OVERVIEW, stacked=True, overrides=meanings(of_each=True, **ANSWERS)),
        lines("How many calls does a permit take?", "short",
              "Calls to the stores for each permit used. Below 1 while permits are asked for in batches.",
              [target(f"sum({rate('einlass_limiter_calls_total')}) / {permits}", "calls")], OVERVIEW),
        lines("How much is admitted without a permit?", "suffix: records/s",
              "While the limiter does not answer, on routes whose limits all say pass or local_share.",
              [target(f"sum by (route) ({rate('einlass_stand_in_admissions_total')})", "{{route}}")], ROUTE),
    ]


def shares():
    """Flows by weight and level; and limits that are not enforced, against what really left."""
    def said_of(word):
        return f"sum by (route, limit) ({rate(f'einlass_shadow_{word}_total', **LIMIT)})"
    left = (f"sum by (route) ({rate('einlass_attempts_total')}) and on (route) "
            f"({rate('einlass_shadow_admissions_total', **LIMIT)})")
    return [
        lines("How are the permits shared by the flows?", PERMITS,
              "Permits used by flow, of those that a share names, and all others.",
              [target(f"sum by (share, flow) ({rate('einlass_share_permits_total')})", "{{share}}: {{flow}}")], ROUTE,
              stacked=True),
        lines("Which levels wait?", "short",
              "Records that could leave if it were their turn, by level. A share without levels has one, all.",
              [target(f"sum by (share, level) ({select('einlass_share_waiting')})", "{{share}}: {{level}}")], ROUTE,
              stacked=True),
        lines("What would the shadow limits let through?", "suffix: attempts/s",
              "Attempts that a limit with shadow: true would have admitted, and all that left (dashed).",
              [target(said_of("admissions"), "{{route}}: {{limit}}"), target(left, "{{route}} left")], ROUTE,
              overrides=[dashed("/ left$/")]),
        lines("What share would they make wait?", "percentunit",
              "Of the attempts that left, those that a limit with shadow: true would have delayed.",
              [target(f"{said_of('rejections')} / ({said_of('admissions')} + {said_of('rejections')})",
                      "{{route}}: {{limit}}")], ROUTE, max=1),
    ]


def board():
    return dashboard("einlass-limits", "Limits and tenants",
                     "What is used of what is allowed, which tenants are at their limit, how the limiters answer.",
                     ["limit"], [("Now", 6, 4, now()), ("Who waits", 2, 9, who()), ("Allowed and used", 3, 8, allowance()),
                                 ("Stores", 3, 7, stores()), ("Shares and shadow limits", 4, 7, shares())])
