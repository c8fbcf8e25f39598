"""One thread of a process that does not go on, while all others do."""

import contextlib
import ctypes
import os
import pathlib

from harness import places

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207


class StoppedThread:
    """One thread of a process, stopped as a debugger would stop it; the others run on."""

    WALL = 0x40000000  # Threads too.

    def __init__(self, process, name):
        self._process = process
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.ptrace.argtypes = [ctypes.c_long] * 4
        self.tid = next(int(path.parent.name) for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/comm")
                        if path.read_text().strip() == name)
        self._ptrace(PTRACE_SEIZE)
        self._ptrace(PTRACE_INTERRUPT)
        os.waitpid(self.tid, self.WALL)

    def exit_code(self, patience):
        """Of its process, which cannot be waited for before whoever traces the thread has seen its end."""
        def ended():
            os.waitpid(self.tid, self.WALL | os.WNOHANG)
            return self._process.poll() is not None
        try:
            places.wait_until(ended, patience, "the process's end")
        except ChildProcessError:
            self._process.wait(patience)
        return self._process.returncode

    def go_on(self):
        self._ptrace(PTRACE_DETACH)

    def let_go(self):
        """For a test that ends early: whatever has become of the thread, its process can be waited for."""
        with contextlib.suppress(OSError):
            self.go_on()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.tid, self.WALL | os.WNOHANG)

    def _ptrace(self, request):
        if self._libc.ptrace(request, self.tid, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request:#x} of thread {self.tid}")
