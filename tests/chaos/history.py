"""What a run leaves behind, as plain values: what was produced, what targets and gates said, what was done to them."""

import collections

# One request at a target. `status` 0: not accepted, no answer. `answered` 0: no answer was written.
Delivery = collections.namedtuple(
    "Delivery",
    "target arrived answered status mode topic partition offset key attempt permit admitted gate token hash")

# One record of a topic of a route, as the brokers have it; `at` is when its producer made it.
Record = collections.namedtuple("Record", "topic partition offset key value headers at")

# One record of the dead letter topic.
Dead = collections.namedtuple("Dead", "partition offset key value headers")

# One look at a gate: `books` is {route: {received, delivered, dead_lettered, returned, filtered, inside}}, `committed` is
# {(topic, partition): offset}.
Scrape = collections.namedtuple("Scrape", "gate run at books committed")

# A fault as it happened: `end` is when all that it disturbed was back. All instants are microseconds since 1970.
Event = collections.namedtuple("Event", "kind subject begin end how")

# How a process of a gate ended: `code` of its exit, `books` as its last line tells them (or None). `asked` is how it was
# told to; "fenced" if Kafka fenced it, None if it ended by itself for any other reason.
Exit = collections.namedtuple("Exit", "run at code books asked")

# A wait for the processor of `us` that ended at `at`, as the network's process noticed it: the machine is busy then.
Stall = collections.namedtuple("Stall", "at us")

FOR_EVER = 1 << 62

# `limits`: (from, until, limit) as gates knew it, the newest last.
History = collections.namedtuple("History", "deliveries records dead scrapes events exits limits stalls")


def empty():
    return History(*([] for _ in History._fields))


def gate_of(run):
    return run.rsplit(".", 1)[0]


def record_of(delivery):
    return delivery.topic, delivery.partition, delivery.offset
