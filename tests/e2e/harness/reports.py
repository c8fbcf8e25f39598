"""What the sanitizers write when they have found something, and a broken invariant. Whoever ran a program looks for it in
what that wrote."""

import glob
import os

# A report of undefined behaviour begins with its place: FILE:LINE:COLUMN: runtime error: ...
_MARKS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer", "ERROR: ThreadSanitizer",
          "FATAL: ThreadSanitizer", "Sanitizer:DEADLYSIGNAL", "Sanitizer: CHECK failed", "runtime error: ",
          ": broken invariant: ")  # The last is that of src/units/check.h.
_LINES = 60  # Of a report, to be shown.


def first_in(text):
    """The beginning of the first report in it; "" if there is none."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if any(mark in line for mark in _MARKS):
            return "\n".join(lines[number:number + _LINES])
    return ""


def in_logs(directory):
    """The first report of each log in the directory, each under its log's name; "" if there is none."""
    found = []
    for path in sorted(glob.glob(os.path.join(directory, "*.log"))):
        with open(path, errors="replace") as log:
            report = first_in(log.read())
        if report:
            found.append(f"{os.path.basename(path)}: a report:\n{report}")
    return "\n".join(found)
