"""A wall clock of a program's own, which a test sets while the program runs. Its monotonic clock is the machine's."""

import mmap
import os
import struct
import subprocess
import time

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_clock.c")
SETTING = struct.Struct("<qqq")
RIGHT = 1_000_000


class OwnClock:
    """`before`: what stands before the program's command line for it."""

    def __init__(self, directory, name):
        library, path = os.path.join(directory, "own_clock.so"), os.path.join(directory, f"{name}.clock")
        if not os.path.exists(library):
            subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
        with open(path, "wb") as file:
            file.write(bytes(8 + 2 * SETTING.size))
        with open(path, "r+b") as file:
            self._mapped = mmap.mmap(file.fileno(), 0)
        self._which = 0
        self.is_off_by(0)
        self.before = ["env", f"LD_PRELOAD={library}", f"OWN_CLOCK={path}"]

    def is_off_by(self, seconds):
        """Against the right time. It goes as fast as that."""
        now = time.time_ns()
        self._set(now + round(seconds * 1e9), now, RIGHT)

    def goes(self, times_as_fast):
        """From what it shows now; 0: it stands still."""
        now = time.time_ns()
        self._set(self._shown(now), now, round(times_as_fast * RIGHT))

    def off_by(self):
        now = time.time_ns()
        return (self._shown(now) - now) / 1e9

    def _shown(self, now):
        shown, at, speed = self._setting
        return shown + (now - at) * speed // RIGHT

    def _set(self, *setting):
        self._setting = setting
        self._which ^= 1
        SETTING.pack_into(self._mapped, 8 + self._which * SETTING.size, *setting)
        struct.pack_into("<Q", self._mapped, 0, self._which)
