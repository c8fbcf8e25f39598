"""A gate whose requests take 1.25 s to be written, each in a turn of its loop."""

import os
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_sends.c")


class SlowSends:
    """`before`: what stands before the program's command line for it."""

    def __init__(self, directory):
        library, self._flag = os.path.join(directory, "slow_sends.so"), os.path.join(directory, "sends-are-slow")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        self.before = ["env", f"LD_PRELOAD={library}", f"SLOW_SENDS_WHILE={self._flag}"]

    def begin(self):
        open(self._flag, "w").close()

    def end(self):
        os.remove(self._flag)
