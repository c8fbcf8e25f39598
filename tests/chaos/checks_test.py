"""The judge must see each kind of broken promise, and nothing where there is none."""

import hashlib
import unittest

import checks
import history
import repeats

ORDERS = {"ordered": "partition", "keyed": "key", "free": "none"}
SECOND = 1_000_000
BOUNDS = repeats.Bounds(commit_us=600_000, dead_letter_us=3 * SECOND, timeout_us=2 * SECOND, session_us=6 * SECOND,
                        settle_us=3 * SECOND, zombie_us=3 * SECOND, in_flight=96, limit=150, orders=ORDERS)


def value_of(offset):
    return f"take {offset}".encode()


def delivery(offset, at, **changes):
    fields = dict(target="ordered", arrived=at + 1000, answered=at + 2000, status=200, mode="ok", topic="ordered",
                  partition=0, offset=offset, key="k0", attempt=1, permit=f"p{offset}-{at}", admitted=at,
                  gate="gate-1.1", token=None, hash=hashlib.sha1(value_of(offset)).hexdigest())
    fields.update(changes)
    fields["token"] = fields["token"] or f'"{fields["topic"]}-{fields["partition"]}-{offset}"'
    return history.Delivery(**fields)


def record(offset, topic="ordered", key="k0"):
    return history.Record(topic, 0, offset, key, value_of(offset), [("tenant", "t0")], offset * 100_000)


def dead(offset, **changes):
    story = {"einlass-topic": "ordered", "einlass-partition": "0", "einlass-offset": str(offset),
             "einlass-reason": "refused", "einlass-status": "422", **changes}
    return history.Dead(0, 7, "k0", value_of(offset), [("tenant", "t0"), *story.items()])


def clean(count=20):
    """A run without faults: one record every 100 ms, the third refused."""
    h = history.empty()
    h.limits.append((0, history.FOR_EVER, 10))
    for offset in range(count):
        h.records.append(record(offset))
        h.deliveries.append(delivery(offset, (offset + 1) * 100_000, status=422 if offset == 2 else 200))
    h.dead.append(dead(2))
    return h


def books(received, delivered, inside, dead_lettered=0, returned=0, filtered=0):
    return {"received": received, "delivered": delivered, "dead_lettered": dead_lettered, "returned": returned,
            "filtered": filtered, "inside": inside}


def scrape(at, run="gate-1.1", committed=None, **counts):
    told = {"ordered": books(**counts)} if counts else {}
    return history.Scrape(history.gate_of(run), run, at, told, committed or {})


def event(kind, subject, begin, end=None, **how):
    return history.Event(kind, subject, begin, begin if end is None else end, how)


class Records(unittest.TestCase):
    def assert_broken(self, found, count=1):
        self.assertEqual(len(list(found)), count)

    def test_a_clean_run_has_no_fault(self):
        h = clean()
        self.assertEqual(list(checks.nothing_lost(h)), [])
        self.assertEqual(list(checks.untouched(h)), [])
        self.assertEqual(list(checks.dead_letters(h)), [])
        self.assertEqual(list(checks.in_order(h, ORDERS)), [])
        self.assertEqual(list(checks.permits(h)), [])
        self.assertEqual(list(checks.within_windows(h, SECOND)), [])
        self.assertEqual(list(checks.arrivals(h, SECOND, 100_000, lambda one: False)), [])
        self.assertEqual(list(checks.all_produced(h, {"ordered": [value_of(offset) for offset in range(20)]})), [])
        self.assertEqual(repeats.explained(h, BOUNDS)[0], [])
        self.assertEqual(repeats.never_below_the_commit(h, BOUNDS), ([], 0))

    def test_how_long_records_waited_and_how_long_all_was_silent(self):
        h = clean(3)
        self.assertEqual(checks.waits(h), [101_000] * 3)
        h.deliveries[2] = delivery(2, 450_000)
        self.assertEqual(checks.waits(h), [101_000, 101_000, 251_000])
        self.assertEqual(checks.longest_silence(h, "ordered"), 250_000)

    def test_a_record_that_never_arrived_is_lost_and_so_is_one_without_its_dead_letter(self):
        h = clean()
        del h.deliveries[5]
        self.assert_broken(checks.nothing_lost(h))
        h = clean()
        h.dead.clear()
        self.assert_broken(checks.nothing_lost(h))

    def test_a_record_without_an_answer_is_lost(self):
        h = clean()
        h.deliveries[5] = h.deliveries[5]._replace(status=0)
        self.assert_broken(checks.nothing_lost(h))

    def test_accepted_and_dead_is_a_fault(self):
        h = clean()
        h.dead.append(dead(4))
        self.assert_broken(checks.nothing_lost(h))

    def test_what_the_brokers_lost_is_their_fault_and_seen(self):
        h = clean()
        self.assert_broken(checks.all_produced(h, {"ordered": [b"take 99"]}))

    def test_a_changed_value_key_or_token_is_seen(self):
        for changes in ({"hash": "0"}, {"key": "k1"}, {"token": '"ordered-0-6"'}, {"offset": 99}):
            h = clean()
            h.deliveries[5] = h.deliveries[5]._replace(**changes)
            self.assert_broken(checks.untouched(h))

    def test_a_dead_letter_is_the_record_and_its_refusal(self):
        for wrong in (dead(2)._replace(value=b"other"), dead(2)._replace(key="k9"),
                      dead(2)._replace(headers=dead(2).headers[1:]), dead(2, **{"einlass-status": "500"}),
                      dead(2, **{"einlass-reason": "attempts"}), dead(99), dead(4), dead(2, **{"einlass-offset": "x"})):
            h = clean()
            h.dead[:] = [wrong]
            self.assert_broken(checks.dead_letters(h))


class Order(unittest.TestCase):
    def test_a_record_before_the_one_before_it_is_seen(self):
        h = clean()
        h.deliveries[7], h.deliveries[8] = (h.deliveries[8]._replace(arrived=h.deliveries[7].arrived),
                                            h.deliveries[7]._replace(arrived=h.deliveries[8].arrived))
        self.assertEqual(len(list(checks.in_order(h, ORDERS))), 1)

    def test_a_refused_record_has_its_place_in_the_order(self):
        h = clean()
        h.deliveries[2] = h.deliveries[2]._replace(arrived=h.deliveries[5].arrived + 1)
        self.assertEqual(len(list(checks.in_order(h, ORDERS))), 1)

    def test_a_repeat_is_no_breach_of_order(self):
        h = clean()
        h.deliveries.append(delivery(3, 5 * SECOND))
        self.assertEqual(list(checks.in_order(h, ORDERS)), [])

    def test_a_lane_is_a_key_or_nothing_where_the_route_says_so(self):
        for topic, key, count in (("keyed", "k1", 0), ("keyed", "k0", 1), ("free", "k0", 0)):
            h = history.empty()
            h.deliveries.append(delivery(1, 100, topic=topic))
            h.deliveries.append(delivery(0, 200, topic=topic, key=key))
            self.assertEqual(len(list(checks.in_order(h, ORDERS))), count, topic + key)


class Limits(unittest.TestCase):
    def test_one_permit_too_many_in_a_window(self):
        h = clean()
        h.deliveries.append(delivery(30, 1_050_000))
        self.assertEqual(len(list(checks.within_windows(h, SECOND))), 11)  # Each window that holds it.

    def test_a_window_is_open_at_its_beginning(self):
        self.assertEqual(list(checks.windows_kept([0, SECOND], SECOND, [(0, history.FOR_EVER, 1)])), [])
        self.assertEqual(len(list(checks.windows_kept([1, SECOND], SECOND, [(0, history.FOR_EVER, 1)]))), 1)

    def test_while_gates_know_different_limits_the_higher_one_holds(self):
        limits = [(0, 10 * SECOND, 1), (9 * SECOND, history.FOR_EVER, 2)]
        self.assertEqual(len(list(checks.windows_kept([5 * SECOND, 5 * SECOND + 1], SECOND, limits))), 1)
        self.assertEqual(list(checks.windows_kept([9 * SECOND, 9 * SECOND + 1], SECOND, limits)), [])

    def test_an_ask_that_was_held_up_brings_the_limit_of_its_gate_later(self):
        h = history.empty()
        h.limits.extend([(0, 5 * SECOND, 2), (4 * SECOND, history.FOR_EVER, 1)])
        allowed = history.FOR_EVER, 1
        for subject, state, until in (("gate-1>redis", "silent", 9), ("gate-1>redis", "closed", 5), ("gate-1>free", "silent", 5)):
            h.events[:] = [history.Event("link", subject, 4 * SECOND, 8 * SECOND, {"state": state})]
            self.assertEqual(checks.limits_as_asked(h, SECOND), [(0, until * SECOND, 2), (4 * SECOND, *allowed)])
        h.events[:] = [history.Event("pause_primary", "redis", 1 * SECOND, 3 * SECOND, {})]
        self.assertEqual(checks.limits_as_asked(h, SECOND)[0], (0, 5 * SECOND, 2))

    def test_a_failover_that_may_forget_doubles_the_limit_and_not_more(self):
        def breaches(*instants):
            doubled = [(5 * SECOND, 6 * SECOND)]
            return len(list(checks.windows_kept(instants, SECOND, [(0, history.FOR_EVER, 1)], doubled)))
        self.assertEqual(breaches(5 * SECOND, 5 * SECOND + 1), 0)
        self.assertEqual(breaches(5 * SECOND, 5 * SECOND + 1, 5 * SECOND + 2), 1)
        self.assertEqual(breaches(9 * SECOND, 9 * SECOND + 1), 1)

    def test_a_bucket_gives_its_burst_and_its_rate(self):
        burst = [0, 0, 0]
        self.assertEqual(list(checks.within_bucket([*burst, SECOND // 2, SECOND], 2, 3)), [])
        self.assertEqual(len(list(checks.within_bucket([*burst, SECOND // 2 - 1], 2, 3))), 1)
        self.assertEqual(len(list(checks.within_bucket([0, *burst], 2, 3))), 1)
        self.assertEqual(list(checks.within_bucket([0, *burst], 2, 3, [(0, 1)])), [])

    def test_a_permit_used_twice_or_missing(self):
        h = clean()
        h.deliveries[4] = h.deliveries[4]._replace(permit=h.deliveries[3].permit)
        h.deliveries[5] = h.deliveries[5]._replace(permit="")
        self.assertEqual(len(list(checks.permits(h))), 2)

    def test_arrivals_in_one_heap_are_seen_unless_the_way_was_disturbed(self):
        h = clean()
        h.deliveries[:] = [one._replace(arrived=3 * SECOND) for one in h.deliveries]
        self.assertEqual(len(list(checks.arrivals(h, SECOND, 100_000, lambda one: False))), 10)
        self.assertEqual(list(checks.arrivals(h, SECOND, 100_000, lambda one: one.offset > 9)), [])


class Books(unittest.TestCase):
    def test_open_books_are_seen(self):
        h = history.empty()
        h.scrapes.append(scrape(1, received=5, delivered=3, inside=2))
        self.assertEqual(list(checks.books_closed(h)), [])
        h.scrapes.append(scrape(2, received=5, delivered=3, inside=1))
        self.assertEqual(len(list(checks.books_closed(h))), 1)

    def test_counts_never_go_back_within_a_run(self):
        h = history.empty()
        h.scrapes.append(scrape(1, received=5, delivered=5, inside=0))
        h.scrapes.append(scrape(2, run="gate-1.2", received=1, delivered=0, inside=1))
        self.assertEqual(list(checks.never_backwards(h)), [])
        h.scrapes.append(scrape(3, received=4, delivered=4, inside=0))
        self.assertEqual(len(list(checks.never_backwards(h))), 1)

    def test_how_gates_end(self):
        good = books(received=6, delivered=3, inside=0, returned=2, filtered=1)
        for code, said, asked, count in (
                (0, good, "terminate", 0), (1, None, "terminate", 1), (0, None, "terminate", 1),
                (0, {**good, "inside": 1}, "terminate", 1), (0, {**good, "delivered": 4}, "terminate", 1),
                (-6, good, "terminate", 1), ("late", None, "terminate", 1), (0, good, None, 1),
                (1, good, "fenced", 0), (1, None, "fenced", 1), (0, good, "fenced", 1),
                (1, {**good, "delivered": 4}, "fenced", 1)):
            h = history.empty()
            h.exits.append(history.Exit("gate-1.1", 1, code, said, asked))
            self.assertEqual(len(list(checks.left_in_order(h, SECOND))), count, (code, said, asked))

    def test_one_may_fail_to_leave_where_kafka_is_away(self):
        for one, code, count in ((event("broker", "broker-2", 8 * SECOND, 9 * SECOND), 1, 0),
                                 (event("broker", "broker-2", 1 * SECOND, 2 * SECOND), 1, 1),
                                 (event("broker", "broker-2", 8 * SECOND, 9 * SECOND), -11, 1),
                                 (event("link", "gate-1>kafka", 8 * SECOND, 20 * SECOND), 1, 0),
                                 (event("link", "gate-1>broker-3", 8 * SECOND, 9 * SECOND), 1, 0),
                                 (event("link", "gate-2>kafka", 8 * SECOND, 9 * SECOND), 1, 1),
                                 (event("link", "brokers>broker-1", 8 * SECOND, 9 * SECOND), 1, 0),
                                 (event("link", "gate-1>redis", 8 * SECOND, 9 * SECOND), 1, 1),
                                 (event("stop", "gate-1", 8 * SECOND, 9 * SECOND), 1, 0)):
            h = history.empty()
            h.events.append(one)
            h.exits.append(history.Exit("gate-1.1", 10 * SECOND, code, None, "terminate"))
            self.assertEqual(len(list(checks.left_in_order(h, 5 * SECOND))), count, (one, code))

    def test_pages_that_nobody_read(self):
        h = history.empty()
        self.assertEqual(len(list(checks.pages_read(h, ["gate-1"]))), 2)
        h.scrapes.append(scrape(1, received=1, delivered=1, inside=0))
        self.assertEqual(len(list(checks.pages_read(h, ["gate-1"]))), 1, "nothing is committed there")
        h.scrapes.append(scrape(2, received=1, delivered=1, inside=0, committed={("ordered", 0): 1}))
        self.assertEqual(list(checks.pages_read(h, ["gate-1"])), [])
        self.assertEqual(len(list(checks.pages_read(h, ["gate-1", "gate-2"]))), 2)


class Repeats(unittest.TestCase):
    def broken(self, *events, first=None):
        """A history in which record 0 is finished at 10 s and comes again at 20 s."""
        h = history.empty()
        h.deliveries.append(first or delivery(0, 10 * SECOND))
        h.deliveries.append(delivery(0, 20 * SECOND, gate="gate-1.2"))
        h.events.extend(events)
        return h

    def judge(self, *events, first=None):
        return len(repeats.explained(self.broken(*events, first=first), BOUNDS)[0])

    def test_a_repeat_without_a_fault(self):
        self.assertEqual(self.judge(), 1)

    def test_a_kill_explains_what_was_not_committed_yet_and_nothing_older(self):
        self.assertEqual(self.judge(event("kill", "gate-1", 10 * SECOND + 500_000)), 0)
        self.assertEqual(self.judge(event("kill", "gate-1", 11 * SECOND)), 1)
        self.assertEqual(self.judge(event("kill", "gate-1", 9 * SECOND)), 1)
        self.assertEqual(self.judge(event("kill", "gate-2", 10 * SECOND + 500_000)), 1)

    def test_a_request_that_a_link_held_back_comes_after_the_other_gate_s(self):
        def judge(sent, *events):
            h = self.broken(*events)
            h.deliveries[1] = delivery(0, sent, gate="gate-2.1", arrived=20 * SECOND, answered=20 * SECOND + 10)
            return len(repeats.explained(h, BOUNDS)[0])
        held = event("link", "gate-2>ordered", 8 * SECOND, 19 * SECOND, state="silent")
        self.assertEqual(judge(9 * SECOND, held), 0)
        self.assertEqual(judge(9 * SECOND), 1, "no link was disturbed")
        self.assertEqual(judge(11 * SECOND, held), 1, "sent when the other one had its answer")
        self.assertEqual(judge(9 * SECOND, event("link", "gate-3>ordered", 8 * SECOND, 19 * SECOND, state="silent")), 1)

    def test_a_clean_leave_explains_nothing(self):
        self.assertEqual(self.judge(event("terminate", "gate-1", 10 * SECOND, code=0)), 1)
        self.assertEqual(self.judge(event("terminate", "gate-1", 10 * SECOND + 1, code=1)), 0)

    def test_a_kill_while_commits_fail_explains_all_since_the_trouble_began(self):
        trouble = event("link", "gate-1>kafka", 9 * SECOND, 12 * SECOND)
        elsewhere = event("link", "gate-2>kafka", 9 * SECOND, 12 * SECOND)
        self.assertEqual(self.judge(trouble, event("kill", "gate-1", 14 * SECOND)), 0)
        self.assertEqual(self.judge(elsewhere, event("kill", "gate-1", 14 * SECOND)), 1)

    def test_a_slow_way_to_kafka_makes_commits_late_and_no_more(self):
        slow = event("link", "gate-1>broker-1", 9 * SECOND, 12 * SECOND, state="slow", delay_ms=200)
        self.assertEqual(self.judge(slow), 1)
        self.assertEqual(self.judge(slow, event("kill", "gate-1", 11 * SECOND + 300_000)), 0)
        self.assertEqual(self.judge(slow, event("kill", "gate-1", 11 * SECOND + 500_000)), 1)
        self.assertEqual(self.judge(event("kill", "gate-1", 11 * SECOND + 300_000)), 1)

    def test_a_refused_record_is_finished_with_its_dead_letter(self):
        refused = delivery(0, 10 * SECOND, status=422)
        for letters, killed, count in ((1, 15, 0), (2, 13, 0), (2, 15, 1)):
            h = self.broken(event("kill", "gate-1", killed * SECOND), first=refused)
            h.dead.extend([dead(0)] * letters)
            self.assertEqual(len(repeats.explained(h, BOUNDS)[0]), count, (letters, killed))
        self.assertEqual(self.judge(event("kill", "gate-1", 13 * SECOND)), 1)

    def test_a_busy_machine_makes_commits_late_by_as_much_as_it_was_seen_to(self):
        for at, count in ((11 * SECOND, 0), (8 * SECOND, 1), (12 * SECOND, 1)):
            h = self.broken(event("kill", "gate-1", 11 * SECOND))
            h.stalls.append(history.Stall(at, 100_000))
            self.assertEqual(len(repeats.explained(h, BOUNDS)[0]), count)

    def test_a_commit_may_be_late_when_the_trouble_begins(self):
        h = self.broken(event("broker", "broker-2", 11 * SECOND, 12 * SECOND), event("kill", "gate-1", 11 * SECOND + 1))
        self.assertEqual(len(repeats.explained(h, BOUNDS)[0]), 1)
        h.stalls.append(history.Stall(11 * SECOND - 1, 100_000))
        self.assertEqual(len(repeats.explained(h, BOUNDS)[0]), 0)

    def test_a_broker_is_everybodys_trouble(self):
        self.assertEqual(self.judge(event("broker", "broker-2", 10 * SECOND, 15 * SECOND)), 0)
        self.assertEqual(self.judge(event("broker", "broker-2", 1 * SECOND, 2 * SECOND)), 1)

    def test_a_stop_explains_what_was_under_way(self):
        self.assertEqual(self.judge(event("stop", "gate-1", 10 * SECOND, 18 * SECOND)), 0)
        self.assertEqual(self.judge(event("stop", "gate-1", 12 * SECOND, 18 * SECOND)), 1)

    def test_an_answer_that_did_not_come_explains_it(self):
        for changes in ({"answered": 0}, {"answered": 12 * SECOND}):
            self.assertEqual(self.judge(first=delivery(0, 10 * SECOND, **changes)), 0)
        cut = event("link", "gate-1>ordered", 10 * SECOND, 11 * SECOND)
        self.assertEqual(self.judge(cut), 0)
        self.assertEqual(self.judge(cut._replace(subject="gate-1>free")), 1)
        self.assertEqual(self.judge(cut._replace(begin=12 * SECOND, end=13 * SECOND)), 1)

    def test_a_third_time_needs_a_reason_of_its_own(self):
        h = history.empty()
        h.deliveries.extend(delivery(0, at * SECOND) for at in (10, 20, 30))
        h.events.append(event("kill", "gate-1", 10 * SECOND + 100_000))
        found, counts = repeats.explained(h, BOUNDS)
        self.assertEqual(len(found), 1)
        self.assertEqual(sorted(counts.values()), [1, 1])

    def test_how_many_a_fault_may_bring(self):
        cause = repeats.Cause("kill", "gate-1", 0, 0, 0)
        self.assertEqual(repeats.most_repeats(cause, BOUNDS), 96 + 150 * 0.6)
        self.assertEqual(repeats.most_repeats(cause._replace(end=2 * SECOND), BOUNDS), 96 + 150 * 2.6)


class BelowTheCommit(unittest.TestCase):
    def judge(self, *events, admitted=20 * SECOND):
        h = history.empty()
        h.scrapes.append(scrape(15 * SECOND, run="gate-2.1", committed={("ordered", 0): 5}))
        h.deliveries.append(delivery(4, admitted))
        h.events.extend(events)
        found, excused = repeats.never_below_the_commit(h, BOUNDS)
        return len(found), excused

    def test_what_was_committed_never_comes_again(self):
        self.assertEqual(self.judge(), (1, 0))

    def test_what_was_on_its_way_before_may_arrive(self):
        self.assertEqual(self.judge(admitted=14 * SECOND), (0, 0))

    def test_the_first_offset_that_is_not_committed_may_come(self):
        h = history.empty()
        h.scrapes.append(scrape(15 * SECOND, committed={("ordered", 0): 5}))
        h.deliveries.append(delivery(5, 20 * SECOND))
        self.assertEqual(repeats.never_below_the_commit(h, BOUNDS), ([], 0))

    def test_a_gate_that_was_stopped_for_longer_than_a_session_may_not_know_yet(self):
        self.assertEqual(self.judge(event("stop", "gate-1", 10 * SECOND, 19 * SECOND)), (0, 1))
        self.assertEqual(self.judge(event("stop", "gate-1", 17 * SECOND, 19 * SECOND)), (1, 0))
        self.assertEqual(self.judge(event("stop", "gate-1", 5 * SECOND, 14 * SECOND)), (1, 0))
        self.assertEqual(self.judge(event("stop", "gate-2", 10 * SECOND, 19 * SECOND)), (1, 0))

    def test_nor_one_that_was_cut_off_from_kafka(self):
        self.assertEqual(self.judge(event("link", "gate-1>kafka", 12 * SECOND, 21 * SECOND)), (0, 1))
        self.assertEqual(self.judge(event("link", "gate-1>kafka", 17 * SECOND, 19 * SECOND)), (1, 0))


if __name__ == "__main__":
    unittest.main()
