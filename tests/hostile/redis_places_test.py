"""Sentinels and a cluster's nodes that lie about where Redis is: others do not notice, and nothing is lost."""

import time

import resp_server
from hostile import PARTITIONS, Hostile, Inputs
from harness.places import wait_until
import namespace
from harness.plan import plan
from redis_inputs import CODES, EXTREMES, error, inline, long_text, nested, newer, wrong_length, wrong_type
import servers

RECORDS = 400
SHARDS = 4          # Each asks by itself where Redis is: so much more is asked.
SENTINELS = 10
SLOTS = 16384
MOST_BYTES = 4 << 20  # Of an answer about places: docs/security.md.
HOSTS = [b"127.0.0.1", b"127.255.255.254", b"0.0.0.0", b"::1", b"localhost", b"nowhere.invalid", b"", b"?", b"-", b"..",
         b"255.255.255.255", b"a" * 5000, b"127.0.0.1\0.invalid", b"x y", b"\xff\xfe", b"\x1b[2J", b"/tmp/socket",
         b"127.1", b"[::1]", b"redis://127.0.0.1", b"%s%n", b"host\r\nhost"]
PORTS = [1, 0, -1, 65536, 65535, 1 << 31, (1 << 63) - 1, -(1 << 63), 22]


def number(value):
    return b":%d\r\n" % value


def entries(*values):
    return b"*%d\r\n" % len(values) + b"".join(values)


def garbage(random, count):
    kinds = wrong_type, wrong_length, nested, long_text, error, newer, inline
    return random.choice(kinds)(random, count)[-1]


def lying_primary(random, count):
    """In the place of ["127.0.0.1", "6379"]."""
    host, port = random.choice(HOSTS) + random.choice([b"", b".", b"%d" % count]), random.choice(PORTS)
    texts = [b"%d" % port, b"+1", b"0x1", b" 1", b"1e3", b"", b"1" * 300, b"6379 ", b"\xd9\xa1"]
    return random.choice([
        entries(resp_server.text(host), resp_server.text(random.choice(texts))),
        entries(resp_server.text(host), number(port)), entries(resp_server.text(host)),
        entries(b"$-1\r\n", b"$-1\r\n"), entries(*[resp_server.text(host)] * 3), b"*-1\r\n",
        entries(entries(resp_server.text(host)), resp_server.text(b"1")),
        resp_server.text(host) + resp_server.text(b"1")])


def one_range(random, count):
    first = random.choice([0, 1, -1, SLOTS - 1, SLOTS, random.randrange(SLOTS), random.choice(EXTREMES)])
    last = random.choice([SLOTS - 1, SLOTS, first, first - 1, random.randrange(SLOTS), random.choice(EXTREMES)])
    node = entries(resp_server.text(random.choice(HOSTS)), number(random.choice(PORTS)), resp_server.text(b"id"))
    return random.choice([
        entries(number(first), number(last), node), entries(number(first), number(last), node, node),
        entries(number(first), number(last)), entries(number(first), number(last), b"*-1\r\n"),
        entries(number(first), node, number(last)), entries(resp_server.text(b"0"), number(last), node)])


def many_nodes(random, count):
    """Thousands, none of which there is; each holds its slots."""
    size = random.choice([1, 2, 7, 8, 16])
    return entries(*[
        entries(number(at), number(min(at + size, SLOTS) - 1),
                entries(resp_server.text(b"127.0.%d.%d" % (at // size // 250 + 1, at // size % 250 + 1)), number(1)))
        for at in range(0, SLOTS, size)])


def lying_slots(random, count):
    if count % 40 == 39:
        return random.choice([many_nodes(random, count), entries(*[b":1\r\n"] * 1_000_100),
                              b"$1048576\r\n" + b"x" * MOST_BYTES,
                              b"*1000\r\n" * 9, b"*2147483647\r\n" + b"*0\r\n" * 900_000])
    if count % 3 == 2:
        return garbage(random, count)
    ranges = [one_range(random, count) for _ in range(random.randrange(1, 5))]
    return entries(*ranges) if count % 2 else entries(*[random.choice(ranges)] * random.randrange(1, 9))


class Places(Hostile):
    def setUp(self):
        super().setUp()
        self.honest = False

    def serve(self, answer, **where):
        server = resp_server.RespServer(answer, **where)
        self.addCleanup(server.stop)
        return server

    def answer_with_next(self, connection, right):
        if self.honest or self.inputs.all_used():
            return connection.send(right)
        connection.send(self.inputs.next())
        connection.stays(0.05)
        raise resp_server.End  # It may wait for more of it.

    def check(self, every, redis, seconds):
        self.inputs = every[0]
        config = self.well_config(redis={"timeout": "500ms", **redis}, shards=SHARDS)
        config["limits"]["evil"] = {"algorithm": "sliding_log", "limit": 1000, "window": "1s", "store": "redis"}
        url = f"http://127.0.0.1:{self.world.receiver.port}/callback"
        self.add_evil(config, {"url": url}, limits=["evil"], retry={"initial": "10ms", "max": "50ms"})
        del config["routes"][-1]["dead_letter"]  # All of it is to be delivered in the end.
        self.start_beside_the_hostile(config, seconds)
        began = time.monotonic()
        self.judge(lambda: not all(one.all_used() for one in every), patience=seconds)
        self.assertTrue(all(one.all_used() for one in every))
        self.note(f"{sum(one.count for one in every)} answers in {time.monotonic() - began:.0f} s, "
                  f"{self.gate.resident_mb():.0f} MB")
        self.honest = True
        wait_until(lambda: self.delivered() == RECORDS, 35, "all of evil, from a Redis that is found again")
        self.assert_nothing_lost(self.world.receiver.deliveries(), "evil")
        wait_until(lambda: self.gate.get("/readyz", timeout=5.0)[0] == 200, 60, "ready")

    def start_beside_the_hostile(self, config, seconds):
        """It is well until the honest route has been counted."""
        self.honest = True
        self.start_well(config, seconds)
        self.honest = False
        self.world.produce_records("evil", [{"partition": number % PARTITIONS, "key": b"k", "value": b"x"}
                                            for number in range(RECORDS)])

    def delivered(self):
        return next(one for one in self.gate.status()["routes"] if one["name"] == "evil")["delivered"]


class Sentinels(Places):
    def setUp(self):
        super().setUp()
        self.node = self.serve(self.answer_as_node)
        self.ports = servers.free_ports(SENTINELS)
        for port in self.ports:
            self.serve(self.answer_as_sentinel, port=port)

    def answer_as_sentinel(self, connection, words, _):
        if words[0] == b"AUTH":
            return connection.send(b"+OK\r\n")
        right = entries(resp_server.text(b"127.0.0.1"), resp_server.text(b"%d" % self.node.port))
        self.answer_with_next(connection, right)

    def answer_as_node(self, connection, words, _):
        if not self.honest and not self.inputs.all_used():
            raise resp_server.End  # So that they are asked again.
        connection.send(resp_server.honest(words))

    def check_sentinels(self, count, seconds):
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        inputs = Inputs(lambda random, at: (garbage if at % 3 == 2 else lying_primary)(random, at), count)
        self.check([inputs], {"url": "redis://127.0.0.1:1", "sentinel": {
            "addresses": addresses, "password": "hostile-sentinel-0815"}}, seconds)

    def test_a_sample(self):
        self.check_sentinels(30, 60)

    @plan(whole=True, seconds=300)
    def test_whole(self):
        self.check_sentinels(300, 200)


class Cluster(Places):
    def setUp(self):
        super().setUp()
        self.asked, self.node = 0, self.serve(self.answer)

    def answer(self, connection, words, _):
        if words[0] == b"CLUSTER":
            node = entries(resp_server.text(b"127.0.0.1"), number(self.node.port), resp_server.text(b"id"))
            right = entries(entries(number(0), number(SLOTS - 1), node))
            self.asked += 1  # Without any right answer nothing would be asked of the node.
            return connection.send(right) if self.asked % 3 == 0 else self.answer_with_next(connection, right)
        if self.honest or not resp_server.is_ask(words):
            return connection.send(resp_server.honest(words))
        connection.send(b"-MOVED 0 :%d\r\n" % self.node.port if self.redirections.all_used() else
                        self.redirections.next())

    def redirection(self, random, count):
        """Round in circles to ourselves, to nobody, or to what is no place."""
        code = random.choice([b"MOVED", b"ASK"] * 4 + [one.encode() for one in CODES])
        slot = random.choice([0, SLOTS - 1, SLOTS, random.randrange(SLOTS), random.choice(EXTREMES)])
        port = random.choice([self.node.port] * 9 + PORTS)
        host = random.choice([b"127.0.0.1", b"127.0.0.1", b"localhost", b"127.0.0.%d" % random.randrange(1, 255),
                              *HOSTS])
        return b"-%s %d %s:%d\r\n" % (code, slot, host.replace(b"\r\n", b" "), port)

    def check_cluster(self, count, seconds):
        self.redirections = Inputs(self.redirection, count // 2, seed=2)
        self.check([Inputs(lying_slots, count), self.redirections],
                   {"url": f"redis://127.0.0.1:{self.node.port}", "cluster": True}, seconds)

    def test_a_sample(self):
        self.check_cluster(16, 60)

    @plan(whole=True, seconds=300)
    def test_whole(self):
        self.check_cluster(200, 200)


if __name__ == "__main__":
    namespace.main()
