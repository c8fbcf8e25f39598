"""What no Redis answers: (how, what), where `how` says in which way it is sent."""

import resp_server

PASSWORD = "hostile-redis-0815"  # Of the gate's login; some answers quote it.
EXTREMES = [(1 << 63) - 1, -(1 << 63), (1 << 53) + 1, 1 << 53, -(1 << 53), -(1 << 53) - 1, 1 << 31, -1, 0, 1, 4001,
            65536, 1 << 62]
CODES = ["ERR", "LOADING", "READONLY", "MASTERDOWN", "UNBLOCKED", "CLUSTERDOWN", "CLUSTERDOWN Hash slot not served",
         "MOVED 17 127.0.0.1:1", "ASK 17 127.0.0.1:1", "MOVED", "CROSSSLOT", "BUSY", "OOM", "MISCONF", "NOREPLICAS",
         "WRONGPASS", "NOAUTH", "NOPERM", "WRONGTYPE", "NOSCRIPT", "TRYAGAIN", "EXECABORT", "NOPROTO", "NOTBUSY"]
RETRY = 2  # Its place in an answer.
VALID = b"*6\r\n:1\r\n:1700000000000000\r\n:-2\r\n:-1\r\n:9\r\n:0\r\n"


def wrong_number(random, number):
    value = random.choice(EXTREMES + [random.randint(-(1 << 63), (1 << 63) - 1)] * 8)
    return "numbers", random.randrange(6), value


def wrong_type(random, number):
    text = random.randbytes(random.choice([0, 1, 9, 300])).hex().encode()
    return "raw", random.choice([
        b"+" + text + b"\r\n", b":%d\r\n" % random.choice(EXTREMES), resp_server.text(text), b"$-1\r\n", b"*-1\r\n",
        b":" + text + b"\r\n", b"*1\r\n" + resp_server.text(text), b"*5\r\n" + b"$-1\r\n" * 5, b":\r\n", b":--1\r\n"])


def wrong_length(random, number):
    length = random.choice(EXTREMES + [random.randrange(7, 5000)] * 4)
    values = [random.choice(EXTREMES) for _ in range(random.randrange(12))]
    return "closed", b"*%d\r\n" % length + resp_server.array(*values).split(b"\r\n", 1)[1]


def nested(random, number):
    return "closed", b"*%d\r\n" % random.randrange(1, 4001) * random.randrange(1, 12) + b":1\r\n" * random.randrange(9)


def long_text(random, number):
    size = random.choice([-1, -2, 1 << 31, 1 << 40, (1 << 63) - 1, random.randrange(1 << 20, 1 << 29)])
    return "closed", b"%c%d\r\n" % (random.choice(b"$$!="), size) + random.randbytes(random.randrange(400))


def error(random, number):
    code = random.choice(CODES)
    quoted = random.choice(["", f"'{PASSWORD}'", f"`{PASSWORD}`", f'"AUTH" "{PASSWORD}"',
                            f"with args {{'{PASSWORD}'}}"])
    odd = random.randbytes(random.choice([0, 5, 2000])).replace(b"\r", b"").replace(b"\n", b"")
    around = [b"", b"ERR Error running script (call to f_7): @user_script:9: -"][number % 2]
    return "raw", b"-" + around + f"{code} {random.randrange(1000)} {quoted} ".encode() + odd + b"\r\n"


def newer(random, number):
    text = b"%d" % random.choice(EXTREMES + [random.randrange(1 << 30)])
    return "raw", random.choice([
        b"_\r\n", b"#t\r\n", b"#x\r\n", b"," + text + b"\r\n", b",inf\r\n", b",nan\r\n", b"(" + text + b"\r\n",
        b"%1\r\n+a\r\n:" + text + b"\r\n", b"~1\r\n:" + text + b"\r\n", b">2\r\n+message\r\n:" + text + b"\r\n",
        b"|1\r\n+a\r\n:" + text + b"\r\n" + VALID, b"=5\r\ntxt:x\r\n", b"!3\r\nERR\r\n", b"*6\r\n" + b"," + text +
        b"\r\n" + b"#t\r\n" * 5, b"*?\r\n:1\r\n.\r\n", b"$?\r\n;1\r\na\r\n;0\r\n"])


def inline(random, number):
    return "raw", random.choice([b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\r\n", b"\0"]) + \
        random.randbytes(random.randrange(1, 200))


def mutated(random, number):
    data = bytearray(VALID)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(data))
        data[at:at + random.choice([0, 1, 1, 3])] = random.choice([b"", random.randbytes(1), b":", b"\r\n", b"9" * 20])
    return "closed", bytes(data)


def too_many(random, number):
    return "raw", VALID * random.randrange(2, 60) + b":%d\r\n" % random.randrange(1 << 30)


def cut(random, number):
    return "cut", random.randrange(1, 30), random.randrange(6), random.choice(EXTREMES)


def slow(random, number):
    return "slow", random.randrange(6), random.choice(EXTREMES)


def endless(random, number):
    head = random.choice([b"+", b"-ERR ", b"$1000000000\r\n", b":", b"*4000\r\n"])
    return "raw", head + random.choice([b"x", b":1\r\n", b"*9\r\n", b"9", b"\n"]) * random.randrange(40_000, 90_000)


KINDS = [wrong_number, wrong_type, wrong_number, wrong_length, nested, wrong_number, long_text, error, newer, inline,
         wrong_number, mutated, mutated, too_many, cut, slow]


def make_answer(random, number):
    return (endless if number % 50 == 49 else KINDS[number % len(KINDS)])(random, number)


def make_soon(random, number):
    """None that makes a line wait for long by itself, which a sample has no time for."""
    one = make_answer(random, number)
    return ("numbers", 1, number) if one[0] in ("numbers", "slow") and one[1] == RETRY else one


def make_greeting(random, number):
    """In the place of the answers to AUTH and PING, or before any question; or to what is asked beside the asks."""
    kind = random.choice([wrong_type, error, newer, inline, mutated, too_many])
    return kind(random, number)[-1]
