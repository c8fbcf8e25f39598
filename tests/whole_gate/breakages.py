#!/usr/bin/env python3
"""Breaks the gate in one place at a time, most of them in the adapters, and tells which seed of the simulated worlds sees it, or that none does.

    tests/whole_gate/breakages.py [--build build/release] [--seeds 250] [--only TEXT]

Compiles one file of src/ anew for each, as the build does, and links it before the libraries. Exit code 1 if something is seen by
nobody, or if the text that a breakage replaces is not there exactly once. --texts looks only at that.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "suite"))
import breakage_lists  # noqa: E402

PROGRAM = "tests/whole_gate/whole_gate"
CLOCK = "tests/whole_gate/libredis_clock.so"
PATIENCE = 600

# (what it does, file in src, the text, what takes its place)
BREAKAGES = [
    ("redis: a lost connection fails no ask", "adapters/redis/nodes/node_health.cc",
     "    if (call.kind == Call::Kind::acquire) context_.fail(call.ask);\n  }\n  calls_.clear();", "  }\n  calls_.clear();"),
    ("redis: a call without an answer is never over", "adapters/redis/nodes/node_health.cc",
     "  if (call.kind == Call::Kind::acquire) context_.fail(call.ask);\n  if (call.kind == Call::Kind::wait)",
     "  if (call.kind == Call::Kind::wait)"),
    ("redis: a lost connection is the last one", "adapters/redis/nodes/node_health.cc",
     "  disconnect();\n  connect_later();\n", "  disconnect();\n"),
    ("redis: it stays where it is refused", "adapters/redis/nodes/node_health.cc",
     "  leave_after_wait_ |= replaceable || trouble.reaction == Reaction::leave;", "  (void)replaceable;"),
    ("redis: a script is never brought", "adapters/redis/nodes/node.cc",
     "call.manner.by = comes ? CallBy::digest : CallBy::text;", "call.manner.by = CallBy::digest;\n  (void)comes;"),
    ("redis: what is sent elsewhere is forgotten", "adapters/redis/store/store_nodes.cc",
     "  if (acquire) {\n    node->send_acquire(call.line, call.ask, call.manner, now);\n  } else {", "  if (!acquire) {"),
    ("redis: with each piece a reply begins anew", "adapters/redis/wire/reply_reader.cc",
     "  if (reader_->ridx == -1) {", "  if (true) {"),
    ("http1: half an answer is one", "adapters/http/client/connection.cc",
     "if (response_.end_of_stream() == Progress::done) return ended(true);",
     "if (response_.end_of_stream() == Progress::done || response_.status() == 200) return ended(true);"),
    ("http1: a connection that says goodbye is used again", "adapters/http/client/connection.cc",
     "reusable_ = reusable_ && response_.keep_alive() &&", "reusable_ = reusable_ &&"),
    ("http1: an answer may take for ever", "adapters/http/client/connection.cc",
     "    default:\n      return fail(\"no answer\" + within);", "    default:\n      return;"),
    ("http1: what was not written is forgotten", "adapters/http/client/connection.cc",
     "    request_.sent(result.bytes);", "    request_.sent(request_.unsent().size());"),
    ("http1: nobody waits until it can write", "adapters/http/client/connection.cc",
     "    if (result.state == IoState::wait_write) return wait_write();\n    if (result.state != IoState::done) return send_failed();",
     "    if (result.state == IoState::wait_write) return;\n    if (result.state != IoState::done) return send_failed();"),
    ("http2: an end fails nobody", "adapters/http/http2/http2_connection.cc",
     "  session_.fail_all(trouble + \" (\" + settings_.connections.peer + \")\", cut);", "  (void)trouble, (void)cut;"),
    ("http2: what the server has not looked at is forgotten", "adapters/http/http2/http2_connection.cc",
     "if (why == Why::untouched) return owner_.untouched(exchange);", "if (why == Why::untouched) return;"),
    ("http2: nobody waits until it can write", "adapters/http/http2/http2_connection.cc",
     "      case IoState::wait_write:\n        wait_write();\n        return false;", "      case IoState::wait_write:\n        return false;"),
    ("http2: what was not written is forgotten", "adapters/http/http2/http2_connection.cc",
     "        sent_ += result.bytes;", "        sent_ = out_.size();"),
    ("redis: an end gives back the next one's place too", "adapters/redis/store/store.cc",
     "  const PermitId permit = id_of(ended.permit);\n  if (line.counts_held()) state_->give_back(line, {&permit, 1}, Return::ended);",
     "  PermitId permits[] = {id_of(ended.permit), id_of(ended.permit)};\n  ++permits[1].index;\n"
     "  if (line.counts_held()) state_->give_back(line, permits, Return::ended);"),
    ("batches: an answer names the first ones", "adapters/http/target/target_answers.cc",
     "next->index != index++", "index++ >= members.size()"),
    ("core: a handover waits for whatever is in flight", "core/gate/handover.cc",
     "now < partition.deadline) {\n    deadlines_.set(alarm, partition.deadline);",
     "now < partition.deadline + Duration::seconds(9)) {\n    deadlines_.set(alarm, partition.deadline + Duration::seconds(9));"),
    ("core: a permit is for whatever a record costs", "core/lines/picker.cc",
     "if (slot != kNoSlot && records_[slot].cost == first.permit.cost) return slot;", "if (slot != kNoSlot) return slot;"),
    ("core: all that is asked for costs as much as the first", "core/admission/asking.cc",
     "line.asked_horizon, line.asked_cost, again, line.asked_costs,",
     "line.asked_horizon, line.asked_cost, again, std::span<const Permits>{},"),
    ("costs: what cannot be read costs nothing more", "app/record/extract.cc",
     "      return text ? decimal(*text) : std::nullopt;", "      return text ? decimal(*text) : Permits{1};"),
    ("core: who waits for a limit hears of no answer", "core/lines/keyless_limits.cc",
     "    --limit.open_asks;\n    limit.touched = true;", "    --limit.open_asks;"),
    ("loop: all records are the first route's", "app/shard/arriving.cc",
     "records_.put(message, route_of_partition_[message.partition.value]);", "records_.put(message, core::RouteId{0});"),
    ("app: lines of two routes are one", "app/permits/line_table.cc",
     "  append_number(scratch_, route.value);\n", "  append_number(scratch_, 0 * route.value);\n"),
    ("core: a paused line goes on", "core/admission/admission.cc",
     "  if (is_paused(line)) return stand_still(line, now, commands);\n", ""),
    ("core: what was paused does not go on", "core/admission/pausing.cc",
     "  count_line(line, line.total > 0 ? 1 : 0);\n  serve(line, now, commands);",
     "  count_line(line, line.total > 0 ? 1 : 0);\n  (void)now, (void)commands;"),
    ("app: a line that is new is not paused", "app/permits/limiters.cc",
     "  gate_.add_line(found.line, id, keep, is_paused(paused_, route, keys));", "  gate_.add_line(found.line, id, keep, false);"),
    ("app: a line that is new has no quota", "app/permits/limiters.cc",
     "  if (in_redis(route)) {\n    redis_->add_line(found.line, redis_buckets(route.limits, keys, values));",
     "  if (in_redis(route)) {\n    redis_->add_line(found.line, redis_buckets(route.limits, keys, {}));"),
    ("app: a line that waits goes by what it had", "app/permits/limiters.cc", "    known_since_[line.value] = 0;\n", ""),
    ("loop: a partition that comes back is not paused", "app/shard/shard.cc",
     "    if (assigned != nullptr && pauses_) pause_by_topic(assigned->partition);\n", "    (void)assigned;\n"),
    ("steering: nothing ends by itself", "app/steering/steering_in_force.cc",
     "  while (!ends_.empty() && ends_.begin()->first <= now_ms()) {", "  while (!ends_.empty() && ends_.begin()->first < 0) {"),
    ("steering: what is gone from the table holds", "app/steering/steering.cc",
     "    if (here->seen()) continue;\n", "    if (here->seen() || whole_) continue;\n"),
    ("table: what was said before the list of changes is missed", "adapters/redis/table/hash_table.cc",
     "  if (first && *first > last) is_read = false;", "  (void)first;"),
    ("table: what only the hash has is never read", "adapters/redis/table/hash_table.cc",
     "  if (std::chrono::steady_clock::now() - whole_at >= kWhole) return read_anew();\n", ""),
    ("table: after a failure nobody looks again", "adapters/redis/table/hash_table.cc",
     "  look_after(std::chrono::milliseconds(500));\n", ""),
    ("loop: what is asked is kept back", "app/shard/shard.cc",
     "  limiters_.flush(now_);\n", "  if (!events_.empty()) limiters_.flush(now_);\n"),
]


class Build:
    """What the build knows: how each file is compiled, and how the program is linked."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            self.compile = {one["file"]: shlex.split(one["command"]) for one in json.load(file)}
        shown = subprocess.run(["ninja", "-C", folder, "-t", "commands", PROGRAM], check=True, capture_output=True, text=True)
        self.link = shown.stdout.splitlines()[-1]

    def broken(self, file, text, made):
        """Makes the program with that text in the place of the file's."""
        source, compiled = made + ".cc", made + ".o"
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        path = path_of(file)
        command = [{path: source, self._object(path): compiled}.get(word, word) for word in self.compile[path]]
        self._do(command)
        self._do(["sh", "-c", self.link.replace(f"-o {PROGRAM} ", f"-o {made} {compiled} ")])

    def _object(self, path):
        command = self.compile[path]
        return command[command.index("-o") + 1]

    def _do(self, command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise breakage_lists.DoesNotCompile((done.stderr or done.stdout)[:2000])

    def verdict(self, made, seeds):
        """What the first seed that sees it says, or nothing."""
        try:
            ran = subprocess.run([made, os.path.join(self.folder, CLOCK), "--seeds", str(seeds)], capture_output=True, text=True,
                                 errors="replace", timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return "it hangs"
        if not ran.returncode:
            return ""
        if ran.returncode == 2:
            raise RuntimeError(ran.stderr)  # It did not run.
        said = (ran.stdout + ran.stderr).splitlines()
        return said[0][:100] if said else f"it crashes ({ran.returncode})"


def path_of(file):
    return os.path.join(ROOT, "src", file)


def main():
    parser = breakage_lists.parser(__doc__, seeds=250)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    arguments = parser.parse_args()
    missing = breakage_lists.missing_texts(BREAKAGES, path_of)
    if arguments.texts or missing:
        sys.exit(missing)
    build, unseen = Build(os.path.abspath(arguments.build)), 0
    wrong = build.verdict(os.path.join(build.folder, PROGRAM), arguments.seeds)
    if wrong:
        sys.exit(f"a seed fails with nothing broken: {wrong}")
    with tempfile.TemporaryDirectory() as folder:
        for name, file, old, new in breakage_lists.chosen(BREAKAGES, arguments):
            try:
                made = os.path.join(folder, "broken")
                build.broken(file, breakage_lists.read(path_of(file)).replace(old, new), made)
                seen = build.verdict(made, arguments.seeds)
            except breakage_lists.DoesNotCompile as error:
                seen, unseen = f"does not compile, and so proves nothing: {error}", unseen + 1
            unseen += not seen
            print(f"{name:56}  {seen or 'seen by nobody'}", flush=True)
    sys.exit(1 if unseen else 0)


if __name__ == "__main__":
    main()
