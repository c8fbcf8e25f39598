"""What the tests of this folder run, and wait for."""

import subprocess
import time


def run(*command, patience=120, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=patience, **options)


def must(*command, patience=120, **options):
    """What it says on stdout; an error of ours with all that it said if it fails."""
    done = run(*command, patience=patience, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def until(condition, patience, what, said=lambda: ""):
    """The first value of condition() that counts as true. What cannot be asked yet is not there yet."""
    deadline = time.monotonic() + patience
    while True:
        try:
            value = condition()
        except (IndexError, OSError):
            value = None
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {patience} s\n{said()}")
        time.sleep(0.05)
