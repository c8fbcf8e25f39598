"""A shell in which one types on, block after block, as the reader of a page does."""

import os
import re
import select
import signal
import subprocess
import time

_END = "--- the end of a block ---"


class Shell:
    """A bash in a group of processes of its own: stop() ends it with all that was started in it."""

    def __init__(self, directory, environment):
        self._process = subprocess.Popen(["bash"], cwd=directory, env=environment, start_new_session=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # Any command that fails is noticed, not only the last of a block.
        self._write("trap 'failed=$?' ERR\n")

    def type(self, commands, patience):
        """(exit code of the last command that failed, or 0; what was printed meanwhile)."""
        self._write(f"failed=0\n{commands}\nprintf '\\n%s %s\\n' '{_END}' \"$failed\"\n")
        deadline = time.monotonic() + patience
        text = b""
        # Behind its end a server in the background may have written something by then: that is no part of the block.
        while not (ended := re.search(rb"\n" + _END.encode() + rb" (\d+)\n", text)):
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            more = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                why = "the shell has ended" if ready else f"still busy after {patience:.0f} s"
                raise AssertionError(f"{commands}\n{why}; it printed\n{text.decode(errors='replace')}")
            text += more
        return int(ended[1]), text[:ended.start()].decode(errors="replace")

    def stop(self):
        """SIGTERM to all, and SIGKILL for those that do not listen within ten seconds. Harmless a second time."""
        if self._process.stdin.closed:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                break
            try:
                # Whoever still has the other end open is not gone yet.
                self._drain(10.0)
            except TimeoutError:
                continue
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _drain(self, patience):
        deadline = time.monotonic() + patience
        while True:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            if not os.read(self._process.stdout.fileno(), 1 << 16):
                return

    def _write(self, text):
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()
