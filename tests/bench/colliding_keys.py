#!/usr/bin/env python3
"""What keys cost that were chosen to fall into one bucket of a hash table, beside random ones.

    EINLASS_BUILD=build/release tests/bench/colliding_keys.py [--keys 250000] [--turns 6]

The keys collide whole under libstdc++'s std::hash (MurmurHash64A with a fixed seed), which the gate once took for its
tables. Each key has a bucket and a line of its own: one record for each, a limit by record_key in this process.
"""

import argparse
import os
import random
import statistics
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import world  # noqa: E402

MASK = (1 << 64) - 1
M = 0xC6A4A7935BD1E995
INVERSE = pow(M, -1, 1 << 64)
SEED = 0xC70F6907
PARTITIONS = 6


def mixed(block):
    block = block * M & MASK
    return (block ^ block >> 47) * M & MASK


def unmixed(block):
    block = block * INVERSE & MASK
    block ^= block >> 47  # Its own inverse: of 64 bits, 47 are shifted out.
    return block * INVERSE & MASK


def murmur(key):
    """Of 16 bytes."""
    state = SEED ^ (len(key) * M & MASK)
    for block in struct.unpack("<QQ", key):
        state = (state ^ mixed(block)) * M & MASK
    state = (state ^ state >> 47) * M & MASK
    return state ^ state >> 47


def colliding(count):
    """Keys of 16 bytes: any first half, and the second one that leads to the same state."""
    start, goal = SEED ^ (16 * M & MASK), 0x1234567890ABCDEF
    keys = []
    for number in range(count):
        state = (start ^ mixed(number)) * M & MASK
        keys.append(struct.pack("<QQ", number, unmixed(state ^ goal * INVERSE & MASK)))
    assert len({murmur(key) for key in keys[:1000]}) == 1
    return keys


def cost(one_world, name, keys):
    """CPU seconds of a gate for one record of each key."""
    one_world.create_topic(name, PARTITIONS)
    for start in range(0, len(keys), 50_000):
        one_world.produce_records(name, [{"partition": number % PARTITIONS, "key": key, "value": b"x"}
                                         for number, key in enumerate(keys[start:start + 50_000])])
    limit = {"algorithm": "token_bucket", "rate": "1/s", "burst": 1, "key": "record_key", "store": "memory"}
    one_world.receiver.clear()
    gate = one_world.gate(name, one_world.config(name, 1, {
        "limits": {"shared": None, "each": limit}, "kafka": {"group": name},
        "route": {"limits": ["each"], "order": "none"}})).start()
    one_world.receiver.wait_for(len(keys), 600, [gate])
    seconds = gate.cpu_seconds()
    gate.terminate()
    return seconds


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--keys", type=int, default=250_000)
    options.add_argument("--turns", type=int, default=6)
    wanted = options.parse_args()
    count = wanted.keys
    one_world = world.World(redis=False)
    try:
        cost(one_world, "warm", colliding(1000))
        source, ratios = random.Random(1), []
        for turn in range(wanted.turns):
            usual = cost(one_world, f"random-{turn}", [source.randbytes(16) for _ in range(count)])
            chosen = cost(one_world, f"chosen-{turn}", colliding(count))
            ratios.append(chosen / usual)
            print(f"{count} keys: random {usual:.1f} CPU s, chosen {chosen:.1f} CPU s, ratio {ratios[-1]:.2f}", flush=True)
        print(f"the ratio's median {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")
    finally:
        one_world.stop()


if __name__ == "__main__":
    main()
