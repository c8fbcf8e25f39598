"""What each panel must show while everything works and the limits bind: for each dashboard and title, what its lines are called
and their values, reckoned from the gates' own pages (`pages.py`) or known from what the test did.

A value may be a number, or a pair of bounds where it never stands still.
"""

CALLBACKS, LOCAL, AT_ONCE, TRIED = 100, 30, 20, 10  # What the test's limits allow.


class Truth:
    """The pages as they were at one instant."""

    def __init__(self, pages, at, gates):
        self._pages, self.at, self.gates = pages, at, gates

    def v(self, metric, by="", how=sum, **match):
        return self._pages.values(metric, by, self.at, how, **match)

    def r(self, metric, by="", **match):
        return self._pages.rates(metric, by, self.at, **match)

    def q(self, q, metric, by="", **match):
        return self._pages.quantile(q, metric, by, self.at, **match)


def named(form, values):
    return {form.format(key): value for key, value in values.items()}


def number(value):
    return {"": value}


def within(least, most):
    return (least, most)


def all_within(keys, least, most):
    return {key: (least, most) for key in keys}


def p(name, quantile):
    """One quantile under its name; a bucket is as wide as a tenth, and some of its records are seen in another window."""
    return {name: (quantile[""] * 0.6, quantile[""] * 1.6)}


def used(t):
    rates = t.r("einlass_admissions_total", "limit")
    return {"callbacks": rates["callbacks"] / CALLBACKS, "local": rates["local"] / (LOCAL * t.gates)}


def allowed(t):
    return {"callbacks": CALLBACKS, "local": LOCAL * t.gates}


def left(t):
    """Nearly nothing of a limit that is full, half of the other."""
    found = {name: all_of - t.r("einlass_admissions_total", "limit")[name] for name, all_of in allowed(t).items()}
    return {name: (max(value - 5, 0), max(value, 0) + 5) for name, value in found.items()}


def shadow_share(t):
    """Of 25 a second that leave, 10 may: the rest."""
    share = 1 - TRIED / t.r("einlass_attempts_total", route="soft")[""]
    return within(share - 0.12, share + 0.12)


def books(t):
    return {"inside": t.v("einlass_records_inside")[""]}


def waits(t, **match):
    reasons = t.v("einlass_waiting_records", "reason", **match)
    return {reason: (max(value - 60, 0), value + 60) for reason, value in reasons.items()}


def lag(t, by=""):
    """Each gate asks for it every three seconds, in which some 300 records more come than go."""
    room = 900 if by else 2500
    return {key: (value - room, value + room) for key, value in t.v("einlass_lag_records", by).items()}


def ages(t, by):
    return {key: (0, value + 6) for key, value in t.v("einlass_oldest_unfinished_age_seconds", by, max).items()}


def keys_that_wait(t, answers):
    """Which ten of a gate's keys have most changes all the time; how many they are together does not."""
    total = t.v("einlass_waiting_key_records")[""]
    if "results: other" not in answers or not 11 <= len(answers) <= 10 * t.gates + 1:
        return f"shows {sorted(answers)}"
    if not all(key.startswith(("results: k", "results: other")) for key in answers):
        return f"shows {sorted(answers)}"
    return "" if agree(sum(answers.values()), total) else f"shows {sum(answers.values())} records and not {total}"


def one(key, value):
    return {key: value}


OVERVIEW = {
    "How many gates answer?": [lambda t: number(t.gates)],
    "Do the books close?": [lambda t: number(0)],
    "What is out of order?": [lambda t: number(0)],
    "How full is a limit?": [lambda t: number(within(0.9, 1.06))],
    "How many wait inside?": [
        lambda t: number(t.v("einlass_waiting_records", reason="(?!in_flight).*")[""])],
    "How many are still to do?": [lag],
    "How much is admitted, and how much would be allowed?": [
        lambda t: named("{} admitted", t.r("einlass_admissions_total", "limit")),
        lambda t: named("{} allowed", allowed(t))],
    "Which limit rejects?": [lambda t: t.r("einlass_rejections_total", "limit")],
    "How long do records wait for a permit?": [
        lambda t: p("p50", t.q(0.5, "einlass_admission_wait_seconds")),
        lambda t: p("p99", t.q(0.99, "einlass_admission_wait_seconds"))],
    "What do the records inside wait for?": [waits],
    "Does as much come out as goes in?": [
        lambda t: one("received", t.r("einlass_records_received_total")[""]),
        lambda t: one("delivered", within(CALLBACKS * 1.35, CALLBACKS * 1.75)),  # Results, local and soft.
        lambda t: one("dead lettered", 0), lambda t: one("returned", 0)],
    "Why are records dead-lettered?": [lambda t: dict.fromkeys(("refused", "attempts", "never", "bad_key", "too_large"), 0)],
    "Do the books close, and how many are inside?": [books, lambda t: one("unexplained", 0)],
    "How old is the oldest record inside?": [lambda t: ages(t, "topic")],
}

RESULTS_AND_OTHERS = ("results", "audit", "soft")

ROUTE = {
    "How much is delivered?": [lambda t: number(t.r("einlass_records_delivered_total")[""])],
    "How many attempts fail?": [lambda t: number(0)],
    "How slow is the target?": [lambda t: p("", t.q(0.99, "einlass_attempt_duration_seconds"))],
    "Is a target left alone?": [lambda t: number(0)],
    "Held for how long?": [lambda t: number(0)],
    "How many never pass?": [lambda t: number(0)],
    "What comes in, and what goes out?": [
        lambda t: named("{} received", t.r("einlass_records_received_total", "route")),
        lambda t: named("{} delivered", t.r("einlass_records_delivered_total", "route"))],
    "What do its records wait for?": [waits],
    "How long do its records wait for a permit?": [
        lambda t, q=q, n=n: {f"{key} p{n}": (value * 0.5, value * 2 + 0.001) for key, value in
                             t.q(q, "einlass_admission_wait_seconds", "route").items()}
        for q, n in ((0.5, 50), (0.9, 90), (0.99, 99))],
    "How late are its permits used?": [
        lambda t, q=q, n=n: {f"{key} p{n}": (value * 0.5, value * 2 + 0.001) for key, value in
                             t.q(q, "einlass_permit_lateness_seconds", "route").items()}
        for q, n in ((0.5, 50), (0.99, 99), (0.999, 99.9))],
    "How much does it give back or dead-letter?": [
        lambda t: one("returned", 0), lambda t: dict.fromkeys(("refused", "attempts", "never", "bad_key", "too_large"), 0)],
    "How many are inside, and how many were finished before?": [books, lambda t: one("finished before, a second", 0)],
    "Is it read at full width?": [lambda t: one("assigned", 6), lambda t: one("held", within(1, 6))],
    "How do attempts end?": [lambda t: t.r("einlass_attempts_total", "outcome")],
    "How long does an attempt take?": [
        lambda t, q=q, n=n: {f"{key} p{n}": (value * 0.5, value * 2) for key, value in
                             t.q(q, "einlass_attempt_duration_seconds", "route").items()}
        for q, n in ((0.5, 50), (0.99, 99))],
    "How many attempts are under way, of how many?": [
        lambda t: {"receiver": within(0, 40), "auditor": within(0, 20)},
        lambda t: {"receiver at most": 64 * t.gates, "auditor at most": 32 * t.gates}],
    "How many connections are open?": [lambda t: t.v("einlass_target_connections", "target")],
    "When was a target left alone, and for how long yet?": [lambda t: {"receiver": 0, "auditor": 0}],
    "Can each target take something?": [lambda t: {"receiver breaker open": 0, "auditor breaker open": 0},
                                        lambda t: {"receiver unusable": 0, "auditor unusable": 0}],
}

LIMITS = {
    "How full is it?": [lambda t: number(within(0.9, 1.06))],
    "How full at worst?": [lambda t: number(within(0.8, 1.1))],
    "How much of it is left?": [lambda t: number(within(0, 10))],
    "How often in vain?": [
        lambda t: number(t.r("einlass_limiter_calls_total", result="denied")[""] /
                         t.r("einlass_limiter_calls_total")[""])],
    "How many wait for it?": [lambda t: number(within(0, 600))],
    "Is its store away?": [lambda t: number(0)],
    "How much is used of what is allowed?": [used],
    "How many permits are used, and how many allowed?": [
        lambda t: named("{} used", t.r("einlass_admissions_total", "limit")), lambda t: named("{} allowed", allowed(t))],
    "How many attempts are under way, of how many allowed?": [
        lambda t: one("places", within(0, AT_ONCE)), lambda t: one("places at most", AT_ONCE)],
    "How many permits are left over?": [left],
    "How are the permits shared by the gates?": [lambda t: t.r("einlass_admissions_total", "instance")],
    "How much was admitted without a permit?": [lambda t: dict.fromkeys(RESULTS_AND_OTHERS, 0)],
    "Which limit rejects?": [lambda t: t.r("einlass_rejections_total", "limit")],
    "Whose records wait?": [lambda t: lambda answers: keys_that_wait(t, answers)],
    "How long do records wait for a permit?": ROUTE["How long do its records wait for a permit?"][::2],
    "How many permits are given back unused?": [lambda t: t.r("einlass_permits_released_total", "limit")],
    "What would the shadow limits let through?": [
        lambda t: one("soft: tried", within(TRIED - 2, TRIED + 2)),
        lambda t: one("soft left", t.r("einlass_attempts_total", route="soft")[""])],
    "How are the permits shared by the flows?": [
        lambda t: {f"tenants: {flow}": one for flow, one in t.r("einlass_share_permits_total", "flow").items()}],
    "Which levels wait?": [
        lambda t: {f"tenants: {level}": (max(one - 60, 0), one + 60)
                   for level, one in t.v("einlass_share_waiting", "level").items()}],
    "What share would they make wait?": [lambda t: one("soft: tried", shadow_share(t))],
    "Do the shadow limits answer?": [lambda t: one("soft: tried", 0)],
    "How do the stores answer?": [
        lambda t: {key.replace("/", " "): value for key, value in
                   t.r("einlass_limiter_calls_total", "store result").items()}],
    "How many calls does a permit take?": [
        lambda t: one("calls", t.r("einlass_limiter_calls_total")[""] / t.r("einlass_admissions_total")[""])],
}

KAFKA = {
    "How far behind?": [lag],
    "How long until that is done?": [
        lambda t: number(within(t.v("einlass_lag_records")[""] / 300, t.v("einlass_lag_records")[""] / 70))],
    "How old is the oldest?": [
        lambda t: number(within(0, t.v("einlass_oldest_unfinished_age_seconds", "", max)[""] + 6))],
    "Is every gate in the group?": [lambda t: number(0)],
    "Can Kafka be reached?": [lambda t: number(0)],
    "Were offsets skipped?": [lambda t: number(0)],
    "How far behind is each partition?": [lambda t: lag(t, "topic partition")],
    "How old is the oldest record inside, by partition?": [lambda t: ages(t, "topic partition")],
    "Which partitions are held?": [lambda t: all_within(t.v("einlass_partitions_held", "instance"), 0, 4)],
    "Who has how many partitions?": [lambda t: t.v("einlass_partitions_assigned", "instance")],
    "How fast do commits move?": [
        lambda t: {key: (value * 0.5 - 3, value * 1.5 + 3) for key, value in
                   t.r("einlass_committed_offset", "topic partition").items()}],
    "How many are finished ahead?": [
        lambda t: all_within(t.v("einlass_finished_ahead_records", "topic partition"), 0, 64)],
    "Do commits succeed?": [lambda t: t.r("einlass_commits_total", "result")],
    "Do partitions move?": [lambda t: dict.fromkeys(("assigned", "revoked", "lost"), 0)],
    "What was given back, and what was known to be finished?": [lambda t: one("returned", 0),
                                                                lambda t: one("finished before", 0)],
    "Which offsets were never read?": [
        lambda t: {f"{topic} {reason}": 0 for topic in RESULTS_AND_OTHERS
                   for reason in ("retention", "recreated", "reset")}],
}

PROCESS = {
    "How many gates answer?": [lambda t: number(t.gates)],
    "How busy is a loop?": [
        lambda t: number(within(0.001, max(t.r("einlass_loop_busy_seconds_total", "instance").values()) * 1.5 + 0.01))],
    "Does Redis answer?": [lambda t: number(0)],
    "Was the last reload taken?": [lambda t: number(0)],
    "Do all shards answer?": [lambda t: number(0)],
    "How many versions run?": [lambda t: number(1)],
    "How much CPU does each gate use?": [
        lambda t: all_within(t.r("process_cpu_seconds_total", "instance"), 0.001, 2)],
    "How busy is each loop?": [
        lambda t: {f"{key} shard 0": (value * 0.5, value * 1.5 + 0.01) for key, value in
                   t.r("einlass_loop_busy_seconds_total", "instance").items()}],
    "How long does a turn of the loop take?": [
        lambda t: all_within((f"{key} p99" for key in t.v("einlass_shards", "instance")), 0.00001, 0.5)],
    "How much memory does each gate use?": [lambda t: t.v("process_resident_memory_bytes", "instance")],
    "How many files are open, of how many?": [
        lambda t: {key: value / t.v("process_max_fds", "instance")[key]
                   for key, value in t.v("process_open_fds", "instance").items()}],
    "Since when does each gate run?": [
        lambda t: {key: t.at - value for key, value in t.v("process_start_time_seconds", "instance").items()}],
    "How do reloads end?": [lambda t: dict.fromkeys(("applied", "wrong", "needs_restart"), 0)],
    "Since when does each configuration run?": [
        lambda t: {key: t.at - value for key, value in
                   t.v("einlass_config_last_reload_success_timestamp_seconds", "instance").items()}],
    "What becomes of spans?": [lambda t: one("exported", 0), lambda t: one("dropped", 0)],
    "How does Redis answer?": [lambda t: t.r("einlass_limiter_calls_total", "result", store="redis")],
    "How long does a call to Redis take?": [
        lambda t: one("p50", within(0.00002, 0.1)), lambda t: one("p99", within(0.0001, 0.5))],
    "How many connections to Redis work?": [lambda t: {"up": t.gates, "down": 0}],
    "Which policy for outages is in force?": [
        lambda t: {"callbacks hold": 0, "per_key hold": 0, "places hold": 0, "soft pass": 0}],
}

WHILE_ALL_WORKS = {"einlass-overview": OVERVIEW, "einlass-route": ROUTE, "einlass-limits": LIMITS, "einlass-kafka": KAFKA,
                   "einlass-process": PROCESS}


def agree(answer, truth):
    """Within a fifth, or two where a number is small: the windows of both do not begin at the same instant."""
    if isinstance(truth, tuple):
        return truth[0] <= answer <= truth[1]
    return abs(answer - truth) <= max(2.0 if truth > 4 else 0.3, 0.2 * abs(truth)) if truth else answer == 0


def disagreements(answers, truth):
    """What is wrong with the answers, in words; "" if nothing."""
    if callable(truth):
        return truth(answers)
    if set(answers) != set(truth):
        return f"shows {sorted(answers)} and not {sorted(truth)}"
    wrong = [f"{key or 'it'} is {answers[key]:.6g} and not {truth[key]}" for key in sorted(truth)
             if not agree(answers[key], truth[key])]
    return "; ".join(wrong)
