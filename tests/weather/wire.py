"""The wire between the gate's network and the servers': moves packets from one TUN device to the other, as its weather is.

    wire.py GATES_DEVICE SERVERS_DEVICE        file descriptors that are open already

Each server has an address of its own, and so a link of its own, each way for itself. A line of stdin is an order, a line of
stdout its answer. It ends with its stdin.

    {"link": "10.77.0.2", "weather": {"delay_ms": 50, ..}}     answered by what both ways have done since the last order
"""

import collections
import heapq
import json
import os
import random
import select
import socket
import struct
import sys
import time

_QUEUE_S = 0.5     # A narrow link drops what would have to wait for longer.
_PACKETS = 64      # Of one device, before the other one's turn comes.
_LARGEST = 65536
_TOO_LARGE = 3, 4  # ICMP: destination unreachable, fragmentation needed.

# What happens to packets, each way alike: milliseconds, parts of 1, bits a second (0: any number), bytes (0: any size).
# `reorder`: that part is not delayed, and so comes before those that were sent earlier. `silent`: the ways on which
# nothing arrives, "there" (to the server), "back" or "both". `untold`: nobody hears that a packet was too large, as behind a
# firewall that drops ICMP.
Weather = collections.namedtuple("Weather", "delay_ms jitter_ms loss reorder bits mtu silent untold",
                                 defaults=[0, 0, 0, 0, 0, 0, "", False])
CALM = Weather()

Done = collections.namedtuple("Done", "came lost overtook too_large")


class Way:
    """One direction of a link. Knows no clock and no device."""

    def __init__(self, name, dice):
        self._name, self._dice = name, dice
        self._free = self._last = 0.0  # When the link has sent what it has; when the last packet arrives.
        self.change(CALM)

    def change(self, weather):
        self._weather = weather
        self._silent = weather.silent in (self._name, "both")
        self._counts = dict.fromkeys(Done._fields, 0)

    def done(self):
        return Done(**self._counts)

    def fits(self, size):
        fits = not self._weather.mtu or size <= self._weather.mtu
        self._counts["too_large"] += not fits
        return fits

    def arrival(self, size, now):
        """When a packet arrives that is sent now, in seconds; None if it never does."""
        weather = self._weather
        self._counts["came"] += 1
        if self._silent or self._dice.random() < weather.loss or self._free - now > _QUEUE_S:
            self._counts["lost"] += 1
            return None
        if weather.bits:
            self._free = max(self._free, now) + size * 8 / weather.bits
        arrives = max(self._free, now)
        if self._dice.random() >= weather.reorder:
            arrives += (weather.delay_ms + self._dice.uniform(-1, 1) * weather.jitter_ms) / 1000
            self._last = arrives = max(arrives, self._last)
        self._counts["overtook"] += arrives < self._last
        return arrives


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def refusal(packet, mtu):
    """What a router tells the sender of a packet that is too large for what follows."""
    beginning = packet[:(packet[0] & 15) * 4 + 8]
    message = struct.pack("!BBHHH", *_TOO_LARGE, 0, 0, mtu) + beginning
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(message), 0, 0, 64, socket.IPPROTO_ICMP, 0,
                       packet[16:20], packet[12:16])
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + message


class Wire:
    def __init__(self, gates, servers, dice):
        self._devices = {"there": (gates, servers, slice(16, 20)), "back": (servers, gates, slice(12, 16))}
        self._dice, self._links, self._weathers = dice, {}, {}
        self._under_way, self._number = [], 0

    def _link(self, address):
        if address not in self._links:
            self._links[address] = {name: Way(name, self._dice) for name in self._devices}
            self._weathers[address] = CALM
        return self._links[address]

    def change(self, address, weather):
        """Packets that are under way arrive as they would have."""
        address = socket.inet_aton(address)
        done = {name: way.done()._asdict() for name, way in self._link(address).items()}
        self._weathers[address] = weather
        for way in self._links[address].values():
            way.change(weather)
        return done

    def take(self, name):
        """What the sender of that way has sent."""
        source, destination, place = self._devices[name]
        for _ in range(_PACKETS):
            try:
                packet = os.read(source, _LARGEST)
            except BlockingIOError:
                return
            if packet[0] >> 4 != 4:
                continue  # The kernel looks for neighbours of IPv6 on each new device.
            way = self._link(packet[place])[name]
            if not way.fits(len(packet)):
                if not self._weathers[packet[place]].untold:
                    os.write(source, refusal(packet, self._weathers[packet[place]].mtu))
                continue
            arrives = way.arrival(len(packet), time.monotonic())
            if arrives is not None:
                self._number += 1
                heapq.heappush(self._under_way, (arrives, self._number, destination, packet))

    def deliver(self):
        """What is due; returns the seconds until more is, None if nothing is under way."""
        while self._under_way:
            left = self._under_way[0][0] - time.monotonic()
            if left > 0:
                return left
            _, _, destination, packet = heapq.heappop(self._under_way)
            os.write(destination, packet)
        return None


def main():
    gates, servers = (int(word) for word in sys.argv[1:])
    for device in (gates, servers):
        os.set_blocking(device, False)
    wire = Wire(gates, servers, random.Random())
    names = {gates: "there", servers: "back"}
    print("{}", flush=True)
    while True:
        ready, _, _ = select.select([*names, sys.stdin], [], [], wire.deliver())
        for device in ready:
            if device in names:
                wire.take(names[device])
        if sys.stdin in ready:
            line = sys.stdin.readline()  # One order waits for the answer to the one before it.
            if not line:
                return
            order = json.loads(line)
            print(json.dumps(wire.change(order["link"], Weather(**order["weather"]))), flush=True)


if __name__ == "__main__":
    main()
