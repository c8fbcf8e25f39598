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


def p(name, quantile):
    """One quantile under its name; a bucket is as wide as a tenth, and some of its records are seen in another window."""
    return {name: (quantile[""] * 0.6, quantile[""] * 1.6)}


def used(t):
    rates = t.r("einlass_admissions_total", "limit")
    return {"callbacks": rates["callbacks"] / CALLBACKS, "local": rates["local"] / (LOCAL * t.gates)}


def allowed(t):
    return {"callbacks": CALLBACKS, "local": LOCAL * t.gates}


def shadow_share(t):
    """Of 25 a second that leave, 10 may: the rest."""
    share = 1 - TRIED / t.r("einlass_attempts_total", route="soft")[""]
    return within(share - 0.12, share + 0.12)


def around(values, room=60):
    """Each moves by so much while it is looked at."""
    return {key.replace("/", " "): (max(value - room, 0), value + room) for key, value in values.items()}


def some_of(values):
    """Of those that are not 0 now; which they are may change from one moment to the next."""
    def judged(answers):
        wrong = [f"{key} is {value:.6g} and not {values.get(key, 'there')}" for key, value in answers.items()
                 if key not in values or not agree(value, values[key])]
        return "; ".join(wrong) if answers else "shows nothing"
    return judged


LANE = 100 * 4  # Of each partition so many are inside, and all of them wait for what the first of them waits for.


def waits(t):
    return around(t.v("einlass_waiting_records", "reason"), LANE)


def waits_for(t, by="limit"):
    return around(t.v("einlass_waiting_for_limit_records", by), LANE)


def lag(t, by):
    """Each gate asks for it every three seconds, in which some 300 records more come than go."""
    return around(t.v("einlass_lag_records", by), 900)


def ages(t, metric, by):
    return around(t.v(metric, by, max), 6)


def each_quantile(metric, *quantiles, room=2):
    """By route, one function for each: a bucket is as wide as a tenth, or as a half where it is shown coarsely."""
    return [lambda t, q=q, n=n: {f"{key} p{n}": (value / room, value * room + 0.001)
                                 for key, value in t.q(q, metric, "route").items()} for q, n in quantiles]


def keys_that_wait(answers):
    """Which ten of a gate's keys have most changes all the time."""
    wrong = [key for key in answers if not key.startswith(("results: k", "results: other"))]
    return f"shows {sorted(answers)}" if wrong or not 2 <= len(answers) <= 15 else ""


def one(key, value):
    return {key: value}


def nothing(_):
    return {}


OVERVIEW = {
    "What is wrong, and for how long?": [nothing],
    "What is held up, and for how long?": [nothing],
    "How many records wait for that?": [nothing],
    "What have people paused, by whom, why, and until when?": [nothing],
    "How many gates are down?": [lambda t: number(0)],
    "How many are unexplained?": [lambda t: number(0)],
    "How old is the oldest?": [lambda t: ages(t, "einlass_route_lag_seconds", "")],
    "How much retention is used?": [  # Kafka keeps them for seven days.
        lambda t: number(within(0, t.v("einlass_lag_seconds", "", max)[""] * 2 / (7 * 24 * 3600)))],
    "How late are deliveries?": [lambda t: p("", t.q(0.99, "einlass_delivery_delay_seconds"))],
    "How many attempts fail?": [lambda t: number(0)],
    "What do the records in the gates wait for?": [waits],
    "Which limits do they wait for?": [waits_for],
    "How old is the oldest record of each route?": [lambda t: ages(t, "einlass_route_lag_seconds", "route")],
    "How many records are not delivered yet?": [lambda t: around(t.v("einlass_route_lag_records", "route"), 2500)],
    "Does as much come out as goes in?": [
        lambda t: one("received", t.r("einlass_records_received_total")[""]),
        lambda t: one("delivered", within(CALLBACKS * 1.35, CALLBACKS * 1.75)),  # Results, local and soft.
        lambda t: one("dead lettered", 0), lambda t: one("returned", 0),
        lambda t: one("filtered", 0)],
    "What does each route deliver?": [lambda t: t.r("einlass_records_delivered_total", "route")],
    "How busy is each event loop?": [
        lambda t: {f"{key} shard 0": (value * 0.5, value * 1.5 + 0.01) for key, value in
                   t.r("einlass_loop_busy_seconds_total", "instance").items()}],
    "How much memory does each gate use?": [lambda t: t.v("process_resident_memory_bytes", "instance")],
    "How does Redis answer?": [lambda t: t.r("einlass_limiter_calls_total", "result", store="redis")],
    "How long does a call to Redis take?": [
        lambda t: one("p50", within(0.00002, 0.1)), lambda t: one("p99", within(0.0001, 0.5))],
    "Do commits succeed?": [lambda t: t.r("einlass_commits_total", "result")],
    "Do partitions move?": [lambda t: dict.fromkeys(("assigned", "revoked", "lost"), 0)],
    "Since when does each gate run?": [
        lambda t: {key: t.at - value for key, value in t.v("process_start_time_seconds", "instance").items()}],
    "Since when does each configuration run?": [
        lambda t: {key: t.at - value for key, value in
                   t.v("einlass_config_last_reload_success_timestamp_seconds", "instance").items()}],
}

RESULTS_AND_OTHERS = ("results", "audit", "soft")
ATTEMPTS, WAITS = "einlass_attempt_duration_seconds", "einlass_admission_wait_seconds"

ROUTE = {
    "Which routes stand still?": [nothing],
    "Which targets are down?": [nothing],
    "Which targets are paused?": [nothing],
    "How many attempts fail?": [lambda t: dict.fromkeys(RESULTS_AND_OTHERS, 0)],
    "How slow is each target?": [
        lambda t: {key: (value * 0.5, value * 2) for key, value in t.q(0.99, ATTEMPTS, "route").items()}],
    "How many can never pass?": [lambda t: number(0)],
    "What comes in, and what goes out?": [
        lambda t: named("{} received", t.r("einlass_records_received_total", "route")),
        lambda t: named("{} delivered", t.r("einlass_records_delivered_total", "route"))],
    "What do its records wait for?": [lambda t: some_of(around(t.v("einlass_waiting_records", "route reason"), LANE))],
    "How old are records when they are delivered?": each_quantile("einlass_delivery_delay_seconds", (0.5, 50), (0.99, 99)),
    "How old is the oldest that is not delivered?": [lambda t: ages(t, "einlass_route_lag_seconds", "route")],
    "How long do its records wait for a permit?": each_quantile(WAITS, (0.5, 50), (0.99, 99)),
    "How late are its permits used?": each_quantile("einlass_permit_lateness_seconds", (0.5, 50), (0.99, 99)),
    "What is not delivered?": [
        nothing, lambda t: dict.fromkeys((f"{route} returned" for route in RESULTS_AND_OTHERS), 0), nothing],
    "How many partitions are paused, of how many?": [
        lambda t: {"results paused": within(0, 4), "audit paused": within(0, 1), "soft paused": within(0, 1)},
        lambda t: {"results assigned": 4, "audit assigned": 1, "soft assigned": 1}],
    "What share of each route's attempts fails?": [lambda t: dict.fromkeys(RESULTS_AND_OTHERS, 0)],
    "How do attempts end?": [
        lambda t: some_of({key.replace("/", " "): value for key, value in
                           t.r("einlass_attempts_total", "route outcome").items()})],
    "How long does an attempt take?": each_quantile(ATTEMPTS, (0.5, 50), (0.99, 99)),
    "How many attempts are in flight, of how many?": [
        lambda t: {"receiver": within(0, 40), "auditor": within(0, 20)},
        lambda t: {"receiver at most": 64 * t.gates, "auditor at most": 32 * t.gates}],
    "When was a target paused, and for how long?": [lambda t: {"receiver": 0, "auditor": 0}],
    "How many connections are open?": [lambda t: t.v("einlass_target_connections", "target")],
    "How far behind is each partition?": [lambda t: lag(t, "topic partition")],
    "How old is the oldest of each partition?": [lambda t: ages(t, "einlass_lag_seconds", "topic partition")],
    "How many are completed out of order?": [
        lambda t: around(t.v("einlass_finished_ahead_records", "topic partition"), 64)],
    "Which offsets were never read?": [nothing],
}

LIMITS = {
    "How many wait for it?": [lambda t: waits_for(t, "")],
    "How full is the fullest?": [lambda t: number(within(0.9, 1.06))],
    "How many keys are at it?": [lambda t: around(t.v("einlass_limit_full_keys"), 40)],
    "What share of the keys?": [lambda t: number(within(0, 1))],
    "How many asks are denied?": [
        lambda t: number(t.r("einlass_limiter_calls_total", result="denied")[""] /
                         t.r("einlass_limiter_calls_total")[""])],
    "Is its store unavailable?": [lambda t: number(0)],
    "Whose records wait?": [lambda t: keys_that_wait],
    "How many records wait for each limit?": [waits_for],
    "How many keys are at their limit, of how many?": [
        lambda t: named("{} at it", around(t.v("einlass_limit_full_keys", "limit"), 40)),
        lambda t: named("{} active", around(t.v("einlass_limit_active_keys", "limit"), 40))],
    "How long do records wait for a permit?": ROUTE["How long do its records wait for a permit?"],
    "How much is used of what is allowed?": [used],
    "How many permits are used, and how many allowed?": [
        lambda t: named("{} used", t.r("einlass_admissions_total", "limit")), lambda t: named("{} allowed", allowed(t))],
    "How many attempts are in flight, of how many?": [
        lambda t: one("places", within(0, AT_ONCE)), lambda t: one("places at most", AT_ONCE)],
    "How are the permits shared by the gates?": [lambda t: t.r("einlass_admissions_total", "instance")],
    "Which limit denies?": [lambda t: t.r("einlass_rejections_total", "limit")],
    "How many permits are given back unused?": [lambda t: t.r("einlass_permits_released_total", "limit")],
    "How do the stores answer?": [
        lambda t: {key.replace("/", " "): value for key, value in
                   t.r("einlass_limiter_calls_total", "store result").items()}],
    "How many calls does a permit take?": [
        lambda t: one("calls", t.r("einlass_limiter_calls_total")[""] / t.r("einlass_admissions_total")[""])],
    "How much is admitted without a permit?": [lambda t: dict.fromkeys(RESULTS_AND_OTHERS, 0)],
    "How are the permits shared by the flows?": [
        lambda t: {f"tenants: {flow}": one for flow, one in t.r("einlass_share_permits_total", "flow").items()}],
    "Which levels wait?": [
        lambda t: {f"tenants: {level}": (max(one - 60, 0), one + 60)
                   for level, one in t.v("einlass_share_waiting", "level").items()}],
    "What would the shadow limits let through?": [
        lambda t: one("soft: tried", within(TRIED - 2, TRIED + 2)),
        lambda t: one("soft left", t.r("einlass_attempts_total", route="soft")[""])],
    "What share would they make wait?": [lambda t: one("soft: tried", shadow_share(t))],
}

WHILE_ALL_WORKS = {"einlass-overview": OVERVIEW, "einlass-route": ROUTE, "einlass-limits": LIMITS}


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
