#!/usr/bin/env python3
"""Breaks the gate in one place at a time, and tells who sees it: the unit tests, the simulation, or nobody.

    tests/simulation/breakages.py [--seeds 2000] [--only TEXT] [--any]

Works in a copy of src/ and tests/, and compiles what a breakage changes. A breakage that nobody sees wants a new check, or the line
that it breaks is of no use. Exit code 1 if there is one, or if the text that a breakage replaces is not there exactly once.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "suite"))
import breakage_lists  # noqa: E402

FLAGS = "-std=c++20 -O2 -D_GLIBCXX_ASSERTIONS".split()
PATIENCE = 600
FEW = 100  # Seeds, before the unit tests are asked.
PROGRAMS = {"simulation": "tests/simulation", "unit_core": "tests/unit/core"}

# (what it does, file in a room of src/core, the text, what takes its place)
BREAKAGES = [
    ("limits_changed: nobody asks", "admission.cc", "  ask_at_once(line, now);\n  line.reach", "  line.reach"),
    ("limits_changed: those without a key hold", "admission.cc", "  if (event.shared) keyless_limits_.forget_shortage(line, now);  // Though it is gone itself.\n", ""),
    ("limits_changed: an answer that was on its way holds for those without a key", "asking.cc",
     "  if (std::exchange(line.all_changed, false)) keyless_limits_.forget_shortage(line, now);\n", "  line.all_changed = false;\n"),
    ("limits_changed: an answer that was on its way holds", "asking.cc",
     "  if (std::exchange(line.changed, false)) ask_at_once(line, now);\n", "  line.changed = false;\n"),
    ("stop: partition by partition", "handover.cc", "give_back_waiting(PartitionId{i}, now, commands);\n  }\n  for",
     "hand_over(PartitionId{i}, now, commands);\n  }\n  for"),
    ("denied: who is gone is waited for", "admission.cc", "  if (line.denied == record.id) forget_denial(line);\n", ""),
    ("denied: who was gone before the answer is waited for", "shortage.cc", "  if (!picker_.is_ready(line, line.denied)) forget_denial(line);\n", ""),
    ("denied: who left is waited for", "sending.cc", "  if (line.denied == record.id) forget_denial(line);\n", ""),
    ("denied: nobody looks", "shortage.cc", "  deadlines_.set({Alarm::Kind::line, line.id.value}, line.asked_at);\n", ""),
    ("denied: a limit without key is closed to the next", "keyless_limits.cc",
     "  limit.not_before = std::min(limit.not_before, at);\n", ""),
    ("reach: never", "shortage.cc", "  line.reach = reach;\n", ""),
    ("reach: beyond what the limit bears", "shortage.cc",
     "                   event.ahead >= line.asked_horizon &&  // Else the limit bears no more.\n", ""),
    ("reach: for ever", "shortage.cc", "std::min(wanted, route.horizon + kReach)", "wanted"),
    ("breaker: a reload leaves its wait as it is", "breaker.h", "    open_until_ = std::min(open_until_, opened_ + options_.max_wait);\n", ""),
    ("leave: nobody looks who is alone now", "pausing.cc", "  queues_of(line).touched = true;\n", ""),
    ("pause: it keeps its permits", "pausing.cc", "  while (!line.permits.empty()) give_back(line, now, commands);\n", ""),
    ("pause: it counts among the lines of its target", "pausing.cc", "  if (is_paused(line)) return;\n", ""),
    ("pause: a partition that comes is read", "intake.cc", "if (is_paused(partition)) hold(event", "if (false) hold(event"),
    ("pause: it is read again when there is room", "intake.cc", "if (is_paused(partition) || gate_full(kFull)", "if (gate_full(kFull)"),
    ("place_free: nobody looks", "admission.cc", "  --line.in_flight;\n  queues_of(line).touched = true;\n", "  --line.in_flight;\n"),
    ("place_free: who waits aside stays there", "admission.cc", "  if (line.waits != LineWaits::parked) return;\n", "  return;\n"),
    ("give_back: nobody looks", "sending.cc", "  queues_of(line).touched = true;\n", ""),
    ("send: nobody looks", "sending.cc", "  queues_of(line).touched = true;  // Permits for others", "  // Permits for others"),
    ("send_all: nobody looks", "sending.cc", "      target.touched |= may;\n", ""),
    ("send_batch: whose record is too much goes to the end", "batching.cc", "if (!takes && line.count() == had) wait_for", "if (false) wait_for"),
    ("leave: who waits for nothing stays in its queue", "admission.cc", "line.count() == 0 && line.waits", "false && line.waits"),
    ("wait_no_more: nobody hears who left", "admission.cc", "  queues_of(line).touched = true;\n  if (line.limit", "  if (line.limit"),
    ("had_turn: it waits for its target again", "asking.cc", "(!line.had_turn && (others_wait(line) || retry_budget_.shut_out(line)))", "(others_wait(line) || retry_budget_.shut_out(line))"),
    ("turn: a fresh record behind retries that wait for it", "asking.cc", "    queues_of(line).touched |= !spoken_for(line, now);\n", ""),
    ("may_ask_at: the same ask too early", "asking.cc",
     "  if (line.next_same_ask > at && horizon_of(line) == line.asked_horizon) at = line.next_same_ask;\n", ""),
    ("may_ask_at: whenever others may who look further", "asking.cc", "return told ? std::max(at, std::min(line.foretold, line.asked_at + kLongestUnasked)) : at;", "return at;"),
    ("limits_changed: of a line that is gone nobody hears", "admission.cc", "  if (id >= lines_.size()) return;\n  Line& line",
     "  if (id >= lines_.size() || !lines_[id].in_use) return;\n  Line& line"),
    ("serve_batches: who has its part waits beside what gathers", "batching.cc",
     "while ((target.room.empty() || !is_ripe(id, now)) && serve_parked", "while (target.room.empty() && serve_parked"),
    ("send_all: everybody waits for room", "sending.cc", "places_.part_left(line) > 0 ? LineWaits::room : LineWaits::parked",
     "LineWaits::room"),
    ("wait_for: stays among the retries", "admission.cc", "                           line.among_retries == line.only_retries();\n",
     "                            true;\n"),
    ("serve_waiting: limits once", "admission.cc", "  } while (again);\n}", "  } while (again && false);\n}"),
    ("serve_target: once", "admission.cc", "  } while (again);\n  target.touched", "  } while (again && false);\n  target.touched"),
    ("serve_turns: ahead never", "admission.cc", "    again |= serve_turns(id, LineWaits::turn_ahead, now, commands);\n", ""),
    ("serve_turns: whoever is first", "asking.cc", "lines_[turns.next_in_its_list(lines_, target.retries)]",
     "lines_[turns.next(lines_, target.retries)]"),
    ("places: no reserve", "places.cc", "room - most / kReservedPart", "room"),
    ("places: a part is all", "places.cc", "return part_of(id) - line.in_flight;", "return options_.targets[id.value].max_in_flight;"),
    ("places: a part is rounded up", "places.cc", "(most / parts, 1)", "((most + parts - 1) / parts, 1)"),
    ("places: what is left over is anybody's", "places.cc", " - targets_[id.value].held.beyond(part)", ""),
    ("places: one alone is never joined", "places.cc", "usage.many ? 2 : 1", "1"),
    ("serve_room: nobody aside is looked at", "placing.cc", "if (!serve_parked(id, now, commands)) return;", "return;"),
    ("shut_out: nobody", "retry_budget.cc", "return fresh_want(line) && !queues_of", "return false && fresh_want(line) && !queues_of"),
    ("retry_must_wait: not for the target", "retry_budget.cc", "if (others &&", "if (false && others &&"),
    ("retry_must_wait: not for limits", "retry_budget.cc", "return wanted && !limit", "return false && wanted && !limit"),
    ("retry_goes_first: without the line's credit", "retry_budget.h", "line.credit.retries(line.retry_share) > 0 && ", ""),
    ("sent: limits earn nothing", "retry_budget.cc", "if (!retry) credit.earn(share);", ""),
    ("sent: mixed lines pay no limit", "retry_budget.cc", "if (retry && mixed) credit.spend(mixed, share);", ""),
    ("usable_retries: all", "retry_budget.cc", "if (!fresh_want(line, i)) continue;", "continue;"),
    ("next: retries first", "line_queue.h", "const bool pays = credit", "const bool pays = true || credit"),
    ("next: retries last", "line_queue.h", "const bool pays = credit", "const bool pays = false && credit"),
    ("join: never first", "line_queue.h", "first ? queue.push_front", "false ? queue.push_front"),
    ("was_short: others ask on", "keyless_limit.h", "    most_open = 1;\n", "    most_open = 8;\n"),
    ("was_not_short: one at a time for ever", "keyless_limit.h", "most_open = std::min(most_open * 2, kAny);", ""),
    ("most_in_turn: as many as it likes", "keyless_limit.h", "return waiting < 2 ? kAny", "return true ? kAny"),
    ("limit_before: nobody waits", "keyless_limits.cc", "if (index == kNoKeyless) return kNoKeyless;", "if (true) return kNoKeyless;"),
    ("limit_before: past the others", "keyless_limits.cc", "return others || !lets_ask", "return !lets_ask"),
    ("queues_at: the first that binds", "keyless_limits.cc", "if (last != kNoKeyless && limits_", "if (false && last != kNoKeyless && limits_"),
    ("serve_limit: no alarm", "contending.cc", "      if (limit.may_ask_at() > now) deadlines_.set(alarm, limit.may_ask_at());\n", ""),
    ("limits answered: nobody looks", "keyless_limits.cc", "    limit.touched = true;\n    if (limit.binds())", "    if (limit.binds())"),
    ("limits answered: retries are free", "keyless_limits.cc", "      limit.retries.spend(false, line.retry_share);\n", ""),
    ("an end lets nobody ask", "keyless_limits.cc", "    limit.freed |= !limit.left.leaves(limit.under_way--, full || limit.binds(), now);\n",
     "    limit.left.leaves(limit.under_way--, full || limit.binds(), now);\n"),
    ("an end is never left to others", "keyless_limits.cc", "    limit.freed |= !limit.left.leaves(limit.under_way--, full || limit.binds(), now);\n",
     "    --limit.under_way, (void)now, limit.freed = true;\n"),
    ("what is left to others its own line takes along", "ending.cc",
     "  admission_.ended(record, now, commands);\n  if (!abandoned) admission_.place_free(record, now, commands);\n",
     "  if (!abandoned) admission_.place_free(record, now, commands);\n  admission_.ended(record, now, commands);\n"),
    ("left to others: whoever has his part", "admission.cc", "const bool full = places_.left(line, now) <= 1;",
     "const bool full = places_.part_left(line) <= 0;"),
    ("of a key's places none is left to others", "admission.cc", "if (keyed && line.left", "if (false && line.left"),
    ("probing: who is kept from it is not woken", "probing.cc", "  wake_other_probes(id, now);\n}", "}"),
    ("an end of a keyed limit is forgotten", "contending.cc", "std::exchange(line.freed, false) ? now : now +", "now +"),
    ("answered: nobody looks", "asking.cc", "  target.touched = true;\n  line.open_ask.reset();", "  line.open_ask.reset();"),
    ("failed: nobody looks", "asking.cc", "  queues_of(line).touched = true;\n  // Who answers it then", "  // Who answers it then"),
    ("answered: who got nothing goes to the end", "asking.cc", "line.goes_first = keyless != kNoKeyless && !by_own && (granted == 0 || behind);",
     "line.goes_first = false;"),
    ("ask for few", "asking.cc", "if (held > 0 && 2 * missing < wanted && line.waits != LineWaits::limit) return 0;", ""),
    ("who has no part asks for nothing", "asking.cc", "if (line.count() > 0 && places_.part_left(line) > 0) soon", "if (false) soon"),
    ("allowance: only its own pace", "asking.cc", "line.count() > 0 && moves ? target.throughput.expected(now, cover) : 0;", "0;"),
    ("spoken_for: due never", "asking.cc", "  if (!line.had_turn) return target.due.permits >= usable;",
     "  if (!line.had_turn) return false;"),
    ("spoken_for: its turn is worth nothing before a place", "asking.cc", "(2 * usable, !line.lapsed)", "(2 * usable, 0)"),
    ("who was denied in its turn: to the end", "asking.cc", "const bool first = line.had_turn &&", "const bool first = false && line.had_turn &&"),
    ("turns: who has its part makes no way", "asking.cc", "if (!makes_way(line, now)) return served;", "return served;"),
    ("aside: nobody is called", "placing.cc", "    if (places_.part_left(line) <= 0) return;\n    picker_.may_send", "    if (true) return;\n    picker_.may_send"),
    ("spoken_for: ahead, though many wait for a place", "asking.cc", "    if (target.room.fresh() > soon) return true;\n", ""),
    ("spoken_for: ahead never", "asking.cc", "    return target.ahead.permits >= 2", "    return target.ahead.permits > (1 << 30) && 2 >= 2"),
    ("hopeless: whoever is next", "picker.cc", "  return is_ready(line, asked_for) ? asked_for.slot : kNoSlot;\n", "  return next_of(line);\n"),
    ("after never: at once, whoever waits", "shortage.cc", "line.count() > 0 && (route.dead_letter || route.cost_varies)",
     "(route.dead_letter || route.cost_varies)"),
    ("bound never", "asking.cc", "line.bound = granted < line.asked || event.due.back() > Duration{};", "line.bound = false;"),
    ("gather: nobody looks", "batching.cc", "  target.touched = true;\n", ""),
    ("probe: who waits aside is not asked", "probing.cc", "  if (!target.parked.empty()) look_at(target.parked.front());\n", ""),
    ("filtered: nothing is finished", "arriving.cc", "  pass_over(event.partition, event.offset, now);\n  intake_.passed_over", "  intake_.passed_over"),
    ("filtered: counts as new whatever was before", "arriving.cc", "    ++stats.finished_before;\n  } else {\n    ++stats.received;", "    ++stats.received;\n  } else {\n    ++stats.received;"),
    ("passed_over: nobody is held", "intake.cc", "  if (ledger_full(partitions_[id.value], kFull)) {", "  if (false) {"),
    ("ledger_full: in order nothing finishes ahead", "intake.cc", "(!in_order || ledger.finished_ahead() > 0)", "!in_order"),
    ("expire_due: nobody looks before an event", "gate.cc", "  expire_due(now, commands);\n  std::visit", "  std::visit"),
    ("expire: who stands behind others goes on", "arriving.cc", "      record.doom = DeadLetterReason::expired;\n      return;", "      return;"),
    ("fitting: whose turn it is takes nobody's permit", "picker.cc", "in_turn(line) ? next : kNoSlot", "kNoSlot"),
    ("room: ready or not", "delivery.cc", " || !is_ready(target)) return 0;", ") return 0;"),
    ("TargetReady: nobody looks again", "gate.cc", "  admission_.touch(event.target);\n", ""),
    ("look_again: what another target has begun", "delivery.cc", "    ready(TargetId{i});\n", ""),
    ("may_try_again: late or not", "ending.cc", "  if (!is_too_late(record, now)) return true;\n", "  return true;\n"),
    ("stays_in_lane: late or not", "ending.cc", "  if (is_too_late(record, now)) record.doom = DeadLetterReason::expired;\n", ""),
    ("others_wait: who is awake probes", "asking.cc", "if (!breaker_of(line).closed()) return true;", "if (!breaker_of(line).closed()) return false;"),
    ("next_to_probe: a permit that is due waits", "probing.cc", "  if (asked != nullptr) return asked;\n", ""),
    ("next_to_probe: any permit that is due goes first", "probing.cc", "if (asked_last && route_of", "if (route_of"),
    ("next_to_probe: who came last is never first", "probing.cc", "failed_probes() % 2 == 1", "failed_probes() % 2 == 2"),
    ("next_to_probe: the ends alone are looked at", "probing.cc", "kNearEnds = 16", "kNearEnds = 1"),
    ("next_to_probe: whose record came last is nothing", "probing.cc", "failed_probes() % 4 == 2", "failed_probes() % 4 == 4"),
    ("next_to_probe: who has retries alone is first", "probing.cc", "std::tuple(line.only_retries(), line.probed)",
     "std::tuple(!line.only_retries(), line.probed)"),
    ("for_probe: as if the target were well", "picker.h", "return probes ? for_probe(line, next) : next;", "return next;"),
    ("lengthen: one record as often as it fails", "breaker.cc", "  if (std::find(failed_here_.begin(), end, failed) == end) failed_here_",
     "  if (end != nullptr) failed_here_"),
    ("asks_for_probe: each books one far ahead", "probing.cc", "(due <= now + kAheadOfProbe || now < line.asked_at + kAheadOfProbe)",
     "due <= now + kAheadOfProbe"),
    ("end_attempt: as many go together again", "ending.cc", "      if (event.over_one) record.most_together = std::max(1u, event.together / 2);\n", ""),
    ("make_ready: early or not", "ending.cc", "  if (!record.doom && record.not_before > now) return wait_early(record);\n", ""),
    ("may_follow: early or not", "batching.cc", "record.doom || record.not_before > now) return", "record.doom) return"),
    ("lanes: one for all routes of a partition", "lane.cc", "std::uint64_t{route.value} << 32 | partition", "std::uint64_t{route.value} * 0 | partition"),
    ("fair_queue: nothing is remembered", "fair_queue.cc",
     "member.served = member.known ? std::max(member.served, time_) : time_;", "member.served = time_;"),
    ("fair_queue: whoever comes back has what it did not take", "fair_queue.cc",
     "member.known ? std::max(member.served, time_) : time_;", "member.known ? member.served : time_;"),
    ("fair_queue: who is new begins at the first of all times", "fair_queue.cc",
     "member.known ? std::max(member.served, time_) : time_;", "std::max(member.served, time_);"),
    ("fair_queue: ahead or not", "fair_queue.cc", "  if (time_ < member.served) {", "  if (false && time_ < member.served) {"),
    ("fair_queue: time goes back", "fair_queue.cc", "time_ = std::max(time_, ahead_.front_key());", "time_ = ahead_.front_key();"),
    ("fair_queue: the rest is lost", "fair_queue.cc", "units + member.rest;", "units;"),
    ("fair_queue: another weight counts from its next turn", "fair_queue.cc", "  member.weight = weight;\n  ready_weights_ += weight;", "  ready_weights_ += member.weight = weight;\n  if (true) return;"),
    ("fair_queue: when nobody waits it is not forgotten", "fair_queue.cc", "  if (empty()) time_ = std::max(time_, most_served_);\n", ""),
    ("flows: a level keeps nothing", "flows.cc", "claims[i].credit += options_.keep * cost;", "claims[i].credit += 0;"),
    ("flows: a level does not pay", "flows.cc", "left = credit - kWhole * cost;", "left = credit;"),
    ("flows: the first that is ready earns nothing", "flows.cc", "(std::uint8_t i = 1; i < options_.levels", "(std::uint8_t i = top + 1; i < options_.levels"),
    ("flows: nobody is charged", "flows.cc", "  turns_[record.flow.level].charge(record.flow_slot, cost.value);\n", ""),
    ("flows: credit of those who left", "flows.cc", "if (--claim.ready == 0) claim.credit = 0;", "--claim.ready;"),
    ("fleet: who is held up waits for what the limit said", "shortage.cc", "event.flows->held_up != HeldUp::no", "false"),
    ("fleet: other lines of the gate are other gates", "asking_for_flows.cc", "event.flows->held_up == HeldUp::by_own", "false"),
    ("fleet: the same flows are not asked for again", "asking.cc", "line.asked_horizon, line.asked_cost, again, line.asked_costs,\n                         line.asked_flows});",
     "line.asked_horizon, line.asked_cost, again, line.asked_costs,\n                         again ? nullptr : line.asked_flows});"),
    ("ended: told twice", "admission.cc", "  commands.push_back(Ended{record.line, record.permit});\n",
     "  commands.push_back(Ended{record.line, record.permit});\n  commands.push_back(Ended{record.line, record.permit});\n"),
    ("ledger_full: in order nothing finishes ahead, also where others lead on", "intake.cc", "route.order == Order::partition && !route.leads_on", "route.order == Order::partition"),
    ("flows: nobody is forgotten", "flows.cc", "    if (!forgotten) return;\n", "    return;\n"),
]


def in_its_room(root, file):
    """The path of a file of the core. A name is in one room only."""
    found = [os.path.join(folder, file) for folder, _, files in os.walk(os.path.join(root, "src/core")) if file in files]
    if len(found) != 1:
        raise LookupError(f"{file} is in {len(found)} rooms of src/core")
    return found[0]


def run(*command, cwd=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False, cwd=cwd)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 99, "check hangs: no end in time\n", "")


def end_group(process):
    """Ends it and what it has started. REQUIRES: it leads a session."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


class Tree:
    """A copy of the sources, compiled once; then what a breakage touches is compiled anew."""

    def __init__(self, folder):
        self.folder = folder
        for part in ("src", "tests/simulation", "tests/unit/core"):
            shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def sources(self, *folders):
        """Those in the folders and in their rooms."""
        for folder in folders:
            for room, _, names in sorted(os.walk(self.path(folder))):
                for name in sorted(names):
                    if name.endswith(".cc"):
                        yield os.path.relpath(os.path.join(room, name), self.folder)

    def _own_sources(self, name):
        """A program's own, a quarter of them compiled as one: or a header that is broken would cost minutes."""
        own = list(self.sources(PROGRAMS[name]))
        for i in range(4):
            together = f"{name}_{i}.cc"
            if not os.path.exists(self.path(together)):
                with open(self.path(together), "w", encoding="utf-8") as source:
                    source.writelines(f'#include "{one}"\n' for one in own[i::4])
            yield together

    def build(self, name):
        """A program, of what has changed since."""
        library = list(self.sources("src/core", "src/units"))
        sources = library + list(self._own_sources(name))
        objects = [source.replace("/", "_") + ".o" for source in sources]
        compiler = ["ccache", "g++"] if shutil.which("ccache") else ["g++"]
        commands = [[*compiler, *FLAGS, "-I.", "-Isrc", "-Itests", "-MMD", "-c", source, "-o", made]
                    for source, made in zip(sources, objects) if not self._is_made(made)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = list(pool.map(lambda command: run(*command, cwd=self.folder), commands))
        linked = run("g++", *objects, "-lgtest", "-lgtest_main", "-lpthread", "-o", name, cwd=self.folder)
        for step in (*compiled, linked):
            if step.returncode:
                raise breakage_lists.DoesNotCompile(step.stderr[:2000])

    def _is_made(self, made):
        """Whether no file that the object was compiled from has changed since."""
        if not os.path.exists(self.path(made)):
            return False
        names = breakage_lists.read(self.path(made.removesuffix(".o") + ".d")).replace("\\\n", " ").split()[1:]
        return all(os.path.getmtime(self.path(name)) < os.path.getmtime(self.path(made)) for name in names)

    def verdict(self, seeds, any_will_do):
        """Who sees it: texts for the two. Most are seen in a few worlds, and the unit tests take longer than those."""
        world = self._in_worlds(1, min(seeds, FEW))
        if any_will_do and world:
            return "not run", world
        unit = self._in_unit_tests(any_will_do)
        if any_will_do and unit:
            return unit, f"not in {FEW} seeds"
        return unit or "-", world or (self._in_worlds(FEW + 1, seeds) if seeds > FEW else "") or "-"

    def _in_worlds(self, first, last):
        """What the first seed that sees it says, or nothing. Nobody waits until that seed's world is as small as it can be."""
        self.build("simulation")
        command = [self.path("simulation"), "--from", str(first), "--seeds", str(last - first + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                              start_new_session=True) as world:
            alarm = threading.Timer(PATIENCE, end_group, [world])
            alarm.start()
            said = ""
            for line in world.stdout:
                if line.startswith("seed "):
                    said = line
                elif line.startswith("check "):
                    said = said or line
                    end_group(world)
                    break
            failed = world.wait() != 0
            alarm.cancel()
        return (said.strip()[:60] or "failed") if failed else ""

    def _in_unit_tests(self, any_will_do):
        """How many of them fail, or nothing. They run to their end, unless any will do."""
        self.build("unit_core")
        unit = run(self.path("unit_core"), "--gtest_brief=1", *(["--gtest_fail_fast"] if any_will_do else []))
        failed = sum("[  FAILED  ]" in line and " ms)" in line for line in unit.stdout.splitlines())
        return f"{failed or 'a crash'}" if unit.returncode else ""


def main():
    parser = breakage_lists.parser(__doc__, seeds=2000)
    parser.add_argument("--any", action="store_true", help="one of the two that sees it will do")
    arguments = parser.parse_args()
    missing = breakage_lists.missing_texts(BREAKAGES, lambda file: in_its_room(ROOT, file))
    if arguments.texts or missing:
        sys.exit(missing)
    unseen = broken = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        unbroken = tree.verdict(arguments.seeds, any_will_do=False)
        if unbroken != ("-", "-"):
            sys.exit("something fails with nothing broken: unit tests: {}, simulation: {}".format(*unbroken))
        for name, file, old, new in breakage_lists.chosen(BREAKAGES, arguments):
            path = in_its_room(tree.folder, file)
            text = breakage_lists.read(path)
            with open(path, "w", encoding="utf-8") as source:
                source.write(text.replace(old, new))
            try:
                unit, world = tree.verdict(arguments.seeds, arguments.any)
                unseen += unit == world == "-"
                print(f"{name:52}  unit tests: {unit:8} simulation: {world}", flush=True)
            except breakage_lists.DoesNotCompile as error:
                print(f"{name:52}  does not compile, and so proves nothing: {error}", flush=True)
                broken += 1
            with open(path, "w", encoding="utf-8") as source:
                source.write(text)
    print(f"{unseen} seen by nobody, {broken} not tried")
    sys.exit(1 if unseen or broken else 0)


if __name__ == "__main__":
    main()
