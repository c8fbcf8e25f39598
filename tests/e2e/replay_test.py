"""`einlass replay`: its answers, its mistakes, and what it leaves behind in Redis."""

import glob
import json
import os
import random
import signal
import subprocess
import tempfile
import unittest

from harness import places
from harness.plan import plan
import servers
from redis import Redis

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = sorted(glob.glob(os.path.join(HERE, "wrong_traces", "*.jsonl")))
FAILED, USAGE = 1, 64

LIMITS = {
    "callbacks": {"algorithm": "sliding_log", "limit": 100, "window": "1s"},
    "per_tenant": {"algorithm": "token_bucket", "rate": "20/s", "burst": 2, "key": "header:tenant"},
    "window": {"algorithm": "fixed_window", "limit": 9, "window": "50ms", "align": "key"},
    "counter": {"algorithm": "counter", "limit": 9, "window": "50ms"},
    "sliced": {"algorithm": "sliding_window", "limit": 9, "window": "50ms", "slices": 5},
    "newest": {"algorithm": "sliding_window", "limit": 9, "window": "50ms", "slices": 5, "log": "newest"},
    "meter": {"algorithm": "leaky_bucket", "rate": "200/s", "capacity": 5},
    "queue": {"algorithm": "leaky_bucket", "rate": "200/s", "capacity": 5, "mode": "queue"},
    "smooth": {"algorithm": "smooth", "rate": "200/s", "burst": 5, "pay": "next"},
    "warming": {"algorithm": "smooth", "rate": "200/s", "warm_up": "100ms"},
    "under_way": {"algorithm": "concurrency", "limit": 5, "lease": "100ms"},
    "weighed": {"algorithm": "token_bucket", "rate": "1000/s", "burst": 100, "cost": "header:weight"},
}

EXAMPLE = """\
{"at": 0, "acquire": {"min": 1, "max": 3, "horizon": 0, "cost": 1, "keys": {"per_tenant": "acme"}, "id": "a"}}
{"at": 10, "acquire": {"min": 1, "max": 1, "horizon": 0, "keys": {"per_tenant": "acme"}, "id": "b"}}
{"at": 10, "acquire": {"min": 3, "horizon": 0, "keys": {"per_tenant": "acme"}}}
{"at": 20, "acquire": {"min": 1, "max": 3, "horizon": 0, "keys": {"per_tenant": "acme"}, "id": "a"}}
{"at": 30, "release": {"id": "a", "count": 1}}

{"at": 30, "peek": {"keys": {"per_tenant": "acme"}}}
{"at": 40, "limit": {"per_tenant": {"rate": "40/s"}, "callbacks": {"limit": 50, "window": 2000000}}}
{"at": 40, "peek": {}}
{"at": 40, "release": {"id": "a", "count": 9}}
{"at": 40, "release": {"id": "a"}}
{"at": 40, "ended": {"id": "b"}}
{"at": 50, "acquire": {"max": 4, "horizon": 61000}}"""

ANSWERS = """\
{"granted": 2, "due": [0, 0], "reason": null, "retry": null, "remaining": {"callbacks": 98, "per_tenant": 0}}
{"granted": 0, "due": [], "reason": "per_tenant", "retry": 49990, "remaining": {"callbacks": 98, "per_tenant": 0}}
{"granted": 0, "due": [], "reason": "per_tenant", "retry": "never", "remaining": {"callbacks": 98, "per_tenant": 0}}
{"granted": 2, "due": [-20, -20], "reason": null, "retry": null, "remaining": {"callbacks": 98, "per_tenant": 0}}
{"released": 1}
{"remaining": {"callbacks": 99, "per_tenant": 1}}
{"limit": ["per_tenant", "callbacks"]}
{"remaining": {"callbacks": 49, "per_tenant": 2}}
{"released": 1}
{"released": 0}
{"ended": 0}
{"granted": 4, "due": [0, 0, 25000, 61000], "reason": null, "retry": null, "remaining": {"callbacks": 0, "per_tenant": 0}}
"""


@plan(together=True)
class Replay(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.redis = Redis().start()
        cls.addClassCleanup(cls.redis.stop)
        cls.folder = tempfile.TemporaryDirectory(prefix="einlass-replay-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.config = cls.configured(cls.redis.url)

    @classmethod
    def configured(cls, url, limits=None, **options):
        """The path of a config whose Redis is at `url`."""
        config = {"redis": {"url": url, **options}, "limits": limits or LIMITS, "targets": {"t": {"http": {"url": "http://h/"}}},
                  "routes": [{"name": "r", "topics": ["a"], "target": "t"}]}
        handle, path = tempfile.mkstemp(suffix=".yaml", dir=cls.folder.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return path

    def command(self, store, limits, trace="-", config=None):
        return [places.EINLASS, "replay", "-c", config or self.config, "--limits", limits, "--trace", trace, "--store", store]

    def replay(self, store, limits, trace, config=None):
        """(exit code, stdout, stderr) for a trace on stdin. Nothing of it may be left in Redis."""
        done = subprocess.run(self.command(store, limits, config=config), input=trace, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(self.redis.ask("KEYS", "*"), [])
        return done.returncode, done.stdout, done.stderr

    def test_answers_to_the_letter(self):
        for store in ("memory", "redis"):
            for end in ("", "\n", "\r\n"):
                with self.subTest(store=store, end=end):
                    self.assertEqual(self.replay(store, "callbacks,per_tenant", EXAMPLE + end), (0, ANSWERS, ""))

    def test_from_a_file(self):
        path = os.path.join(self.folder.name, "trace.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(EXAMPLE)
        done = subprocess.run(self.command("memory", "callbacks,per_tenant", path), capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, ANSWERS, ""))

    def test_both_stores_print_the_same(self):
        """More lines than are under way at once, with every verb, of which some need earlier answers."""
        names = list(LIMITS)
        for number, limits in enumerate([names[:8], names[4:], *([name] for name in names)]):
            trace = self.random_trace(limits, random.Random(number))
            with self.subTest(limits=limits):
                memory = self.replay("memory", ",".join(limits), trace)
                self.assertEqual((memory[0], memory[2]), (0, ""))
                self.assertEqual(memory[1].count("\n"), trace.count("\n"))
                self.assertEqual(self.replay("redis", ",".join(limits), trace), memory)
                self.assertIn('"granted": 1', memory[1])
                self.assertIn('"granted": 0', memory[1])

    @staticmethod
    def random_trace(limits, rng):
        lines, now = [], 0
        for number in range(1500):
            now += rng.choice((0, 1, rng.randrange(2_000)))
            verb, what = "acquire", {}
            keys = {name: rng.choice("ab") for name in limits if rng.random() < 0.5}
            draw = rng.random()
            if number > 0 and draw < 0.2:
                verb = rng.choice(("release", "ended"))
                what = {"id": str(rng.randrange(max(0, number - 9), number))}
            elif draw < 0.22:
                verb, what = "peek", {"keys": keys}
            elif draw < 0.24:
                verb, name = "limit", rng.choice(limits)
                option = next(one for one in ("limit", "burst", "capacity", "timeout") if one in LIMITS[name] or one == "timeout")
                what = {name: {option: rng.randrange(100, 200)}}
            else:
                least = rng.choice((1, 1, 2))
                what = {"min": least, "max": least + rng.choice((0, 0, 3)), "keys": keys,
                        "horizon": rng.choice((0, 20_000)), "cost": {rng.choice(limits): rng.choice((1, 2))}}
            if verb == "acquire" and rng.random() > 0.05:
                what["id"] = str(number)
            else:
                if verb == "acquire":  # Sent again, or a new ask if that was denied.
                    what["id"] = str(rng.randrange(max(0, number - 5), number + 1))
                lines.append({"at": now, "acquire": {"id": str(number)}})
            lines.append({"at": now, verb: what})
        return "".join(json.dumps(line) + "\n" for line in lines)

    def test_keys_go_by_their_overrides(self):
        """In both stores, whatever the trace makes of the limit's own numbers."""
        config = self.configured(self.redis.url, limits={
            "log": {"algorithm": "sliding_log", "limit": 3, "window": "1s", "even": "0%", "key": "header:tenant",
                    "overrides": {"acme": {"limit": 5, "even": "50%"}, "slow-*": {"limit": 1}}},
            "bucket": {"algorithm": "token_bucket", "rate": "1/h", "burst": 3, "key": "header:tenant",
                       "overrides": {"acme": {"burst": 7}, "slow-*": {"start": "empty"}}}})
        for name, larger, granted in (("log", {"limit": 4}, [5, 1, 3, 1]), ("bucket", {"burst": 6}, [7, 0, 3, 0])):
            asks = [{"at": at, "acquire": {"max": 20, "horizon": 0, "keys": {name: key}}}
                    for at, key in ((0, "acme"), (0, "slow-1"), (0, "other"), (2, "other"))]
            trace = "".join(json.dumps(line) + "\n" for line in [*asks[:3], {"at": 1, "limit": {name: larger}}, asks[3]])
            with self.subTest(limit=name):
                memory = self.replay("memory", name, trace, config)
                self.assertEqual((memory[0], memory[2]), (0, ""))
                answers = [json.loads(line) for line in memory[1].splitlines()]
                self.assertEqual([one["granted"] for one in answers if "granted" in one], granted)
                self.assertEqual(self.replay("redis", name, trace, config), memory)

    def test_a_burst_that_another_limit_keeps(self):
        """As a gate asks it, with the key's own burst, and the one that the trace sets."""
        for algorithm in ("fixed_window", "counter", "sliding_window"):
            config = self.configured(self.redis.url, limits={"callbacks": {
                "algorithm": algorithm, "limit": 100, "window": "1s", "burst": 10, "key": "header:tenant",
                "overrides": {"acme": {"burst": 4}}}})
            asks = [{"at": at, "acquire": {"max": 50, "keys": {"callbacks": key}}}
                    for at, key in ((0, "other"), (0, "acme"), (1, "other"), (3, "other"), (3, "acme"))]
            trace = "".join(json.dumps(line) + "\n" for line in [*asks[:3], {"at": 2, "limit": {"callbacks": {"burst": 20}}}, *asks[3:]])
            with self.subTest(algorithm=algorithm):
                memory = self.replay("memory", "callbacks", trace, config)
                self.assertEqual((memory[0], memory[2]), (0, ""))
                answers = [json.loads(line) for line in memory[1].splitlines()]
                self.assertEqual([one.get("granted") for one in answers], [10, 4, 0, None, 10, 0])
                self.assertEqual(answers[0]["remaining"], {"callbacks": 90, "callbacks/burst": 0})
                self.assertEqual(answers[2]["reason"], "callbacks/burst")
                self.assertEqual(self.replay("redis", "callbacks", trace, config), memory)

    def test_a_request_that_does_not_say_what_it_costs(self):
        """It costs what a record does that does not say."""
        config = self.configured(self.redis.url, limits={"weighed": {
            "algorithm": "token_bucket", "rate": "1/h", "burst": 10, "cost": "header:weight", "default_cost": 5}})
        for store in ("memory", "redis"):
            with self.subTest(store=store):
                code, answers, errors = self.replay(store, "weighed", '{"at": 0, "acquire": {"max": 10, "horizon": 0}}', config)
                self.assertEqual((code, json.loads(answers)["granted"], errors), (0, 2, ""))

    def test_a_burst_as_large_as_the_limit(self):
        """In the file it bounds nothing, and no more once the trace raises the limit. One that the trace has made so is kept."""
        changes = ({"limit": 12}, {"limit": 5}, {"limit": 9})
        lines = [line for at, change in enumerate(changes)
                 for line in ({"at": 3_000_000 * at, "limit": {"callbacks": change}},
                              {"at": 3_000_000 * at, "acquire": {"max": 50}})]
        trace = "".join(json.dumps(line) + "\n" for line in lines)
        for limit, granted in ((7, [12, 5, 9]), (8, [7, 5, 5])):
            config = self.configured(self.redis.url, limits={"callbacks": {
                "algorithm": "counter", "limit": limit, "window": "1s", "burst": 7}})
            with self.subTest(limit=limit):
                memory = self.replay("memory", "callbacks", trace, config)
                self.assertEqual((memory[0], memory[2]), (0, ""))
                answers = [json.loads(line) for line in memory[1].splitlines()]
                self.assertEqual([one["granted"] for one in answers if "granted" in one], granted)
                self.assertEqual(self.replay("redis", "callbacks", trace, config), memory)

    def test_an_ask_of_many_permits(self):
        trace = '{"at": 0, "limit": {"callbacks": {"limit": 100000}}}\n{"at": 0, "acquire": {"max": 65536, "id": "a"}}\n' \
                '{"at": 1, "release": {"id": "a", "count": 500}}\n'
        memory = self.replay("memory", "callbacks", trace)
        self.assertEqual(memory[0], 0)
        self.assertIn('{"granted": 65536, "due": [0, 0,', memory[1])
        self.assertIn('{"released": 500}', memory[1])
        self.assertEqual(self.replay("redis", "callbacks", trace), memory)

    def test_wrong_traces(self):
        self.assertGreaterEqual(len(WRONG), 14)
        for path in WRONG:
            with open(path[:-len("jsonl")] + "txt", encoding="utf-8") as file:
                expected = file.read().replace("FILE", path)
            for store in ("memory", "redis"):
                with self.subTest(trace=os.path.basename(path), store=store):
                    done = subprocess.run(self.command(store, "callbacks,per_tenant", path), capture_output=True,
                                          text=True, timeout=30, check=False)
                    self.assertEqual(done.stderr, expected)
                    self.assertEqual(done.returncode, FAILED)
                    self.assertTrue(done.stdout.startswith('{"granted": 1, "due": [0],'), done.stdout)
                    self.assertEqual(self.redis.ask("KEYS", "*"), [])

    def test_wrong_usage(self):
        rest = ["--trace", "-", "-c", self.config]
        for arguments, said in ((["--limits", "callback", *rest], "did you mean `callbacks`?"),
                                (["--limits", "callbacks,callbacks", *rest], "is named twice"),
                                (["--limits", ",".join(list(LIMITS)[:9]), *rest], "more than 8 limits"),
                                (["--limits", "callbacks", "--store", "disk", *rest], "disk"),
                                (["--limits", "callbacks", "-c", self.config], "--trace"), (rest, "--limits")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([places.EINLASS, "replay", *arguments], stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=30, check=False)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                self.assertIn(said, done.stderr)

    def test_a_trace_that_is_not_there(self):
        done = subprocess.run(self.command("memory", "callbacks", "/no/such/trace"), capture_output=True, text=True,
                              timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (FAILED, "", "/no/such/trace: cannot be read: No such file or directory\n"))

    def test_a_line_without_end(self):
        code, _, errors = self.replay("memory", "callbacks", EXAMPLE.splitlines()[4].replace("a", "a" * (1 << 21)))
        self.assertEqual((code, errors), (FAILED, "stdin:1:1: a line of more than 1MiB\n"))

    def test_no_redis(self):
        code, answers, errors = self.replay("redis", "callbacks", EXAMPLE, self.configured("redis://127.0.0.1:1/0"))
        self.assertEqual((code, answers), (FAILED, ""))
        self.assertIn("Redis at 127.0.0.1:1: cannot connect", errors)

    def test_answers_come_while_the_trace_is_written(self):
        for store in ("memory", "redis"):
            with self.subTest(store=store), self.running(store) as running:
                for _ in range(3):
                    running.stdin.write('{"at": 5, "acquire": {}}\n')
                    running.stdin.flush()
                    self.assertIn('"granted": 1', running.stdout.readline())
                running.stdin.close()
                self.assertEqual(running.wait(30), 0)

    def test_a_signal_leaves_nothing_behind(self):
        for name in ("SIGINT", "SIGTERM"):
            with self.subTest(signal=name), self.running("redis") as running:
                running.stdin.write('{"at": 5, "acquire": {"id": "a"}}\n')
                running.stdin.flush()
                running.stdout.readline()
                self.assertNotEqual(self.redis.ask("KEYS", "*"), [])
                running.send_signal(getattr(signal, name))
                self.assertEqual(running.wait(30), FAILED)
                self.assertEqual(running.stderr.read(), "stdin: interrupted\n")
                self.assertEqual(self.redis.ask("KEYS", "*"), [])

    def running(self, store):
        running = subprocess.Popen(self.command(store, "callbacks"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        return running

    def test_its_keys_are_its_own(self):
        with self.running("redis") as running:
            running.stdin.write('{"at": 5, "acquire": {"id": "a"}}\n')
            running.stdin.flush()
            running.stdout.readline()
            keys = self.redis.ask("KEYS", "*")
            self.assertEqual(len(keys), 2)  # The bucket, and what the ask was granted.
            for key in keys:
                self.assertTrue(key.startswith("einlass:replay:"), key)
                self.assertGreater(self.redis.ask("PTTL", key), 3_000_000)
            running.stdin.close()
            running.wait(30)
        self.assertEqual(self.redis.ask("KEYS", "*"), [])

    def test_the_node_of_a_cluster_that_has_the_keys(self):
        nodes = []
        for _ in range(2):
            nodes.append(Redis(arguments=["--cluster-enabled", "yes"]).start())
            self.addCleanup(nodes[-1].stop)
        nodes[0].ask("CLUSTER", "ADDSLOTSRANGE", 0, 8191)
        nodes[1].ask("CLUSTER", "ADDSLOTSRANGE", 8192, 16383)
        nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", nodes[1].port)
        for node in nodes:
            places.wait_until(lambda: "cluster_state:ok" in node.ask("CLUSTER", "INFO"), 30, "the cluster is well")
        for _ in range(4):  # Each with other keys, and so perhaps on the other node.
            for node in nodes:
                config = self.configured(node.url, cluster=True)
                self.assertEqual(self.replay("redis", "callbacks,per_tenant", EXAMPLE, config), (0, ANSWERS, ""))
                self.assertEqual([node.ask("DBSIZE") for node in nodes], [0, 0])

    def test_the_primary_that_sentinel_names(self):
        config = os.path.join(self.folder.name, "sentinel.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"sentinel monitor main 127.0.0.1 {self.redis.port} 1\n")
        port = servers.free_ports(1)[0]
        process = servers.start_child(["redis-server", config, "--sentinel", "--port", str(port), "--bind",
                                       "127.0.0.1"], os.path.join(self.folder.name, "sentinel.log"))
        self.addCleanup(servers.stop_child, process)
        sentinel = Redis(port)
        self.addCleanup(sentinel.stop)
        places.wait_until(lambda: self.answers_ping(sentinel), 20, "the sentinel answers")
        addresses = {"addresses": ["127.0.0.1:1", f"127.0.0.1:{port}"]}
        found = self.configured("redis://127.0.0.1:1/0", sentinel={**addresses, "name": "main"})
        self.assertEqual(self.replay("redis", "callbacks,per_tenant", EXAMPLE, found), (0, ANSWERS, ""))
        unknown = self.configured("redis://127.0.0.1:1/0", sentinel={**addresses, "name": "other"})
        code, answers, errors = self.replay("redis", "callbacks", EXAMPLE, unknown)
        self.assertEqual((code, answers), (FAILED, ""))
        self.assertIn("other", errors)

    @staticmethod
    def answers_ping(server):
        try:
            return server.ask("PING") == "PONG"
        except OSError:
            return False

    def test_a_user_who_may_not_delete(self):
        self.redis.ask("ACL", "SETUSER", "gate", "on", ">secret", "~einlass:*", "+eval", "+evalsha", "+select", "+time",
                       "+zadd", "+zrange", "+zcard", "+zcount", "+zrem", "+zremrangebyscore", "+zremrangebyrank",
                       "+pexpire", "+pttl", "+set", "+get", "+getrange", "+strlen", "+del", "+zrangebyscore", "+zscore",
                       "+type", "+exists", "+psetex", "+zrevrange", "+zrevrangebyscore")
        config = self.configured(self.redis.url.replace("//", "//gate:secret@"))
        done = subprocess.run(self.command("redis", "callbacks", config=config), input='{"at": 1, "acquire": {}}',
                              capture_output=True, text=True, timeout=30, check=False)
        left = self.redis.ask("KEYS", "*")
        self.redis.ask("FLUSHALL")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("are left in Redis for an hour (Redis does not let this user do it (NOPERM)", done.stderr)
        self.assertEqual(len(left), 1)
        wrong = self.configured(self.redis.url.replace("//", "//gate:wrong@"))
        code, _, errors = self.replay("redis", "callbacks", EXAMPLE, wrong)
        self.assertEqual(code, FAILED)
        self.assertIn("refuses the login (WRONGPASS)", errors)
        self.assertNotIn("secret", errors)


if __name__ == "__main__":
    unittest.main()
