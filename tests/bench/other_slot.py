"""The program with another length of the slot in which permits are used together: a part of end_to_end.py.

It is no option, for nobody needs to choose it: so the one place that has it is compiled anew, and linked with all else as
it was built."""

import os
import shlex
import subprocess

from harness import places

_SOURCE = os.path.join(places.ROOT, "src", "app", "setup", "wiring.cc")
_LENGTH = "core::kSlot"


def program(slot_us):
    """Its path; it is made in the build's folder."""
    folder = os.path.join(places.BUILD, "other_slots")
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"einlass-{slot_us}us")
    with open(_SOURCE, encoding="utf-8") as source:
        text = source.read()
    assert text.count(_LENGTH) == 1, f"{_LENGTH} is not there once in {_SOURCE}"
    with open(f"{stem}.cc", "w", encoding="utf-8") as copy:
        copy.write(text.replace(_LENGTH, f"Duration::micros({slot_us})"))
    commands = subprocess.run(["ninja", "-C", places.BUILD, "-t", "commands", "einlass"], check=True, capture_output=True,
                              text=True).stdout.splitlines()
    compiling = shlex.split(next(command for command in commands if command.endswith(_SOURCE)))
    compiling[-1] = f"{stem}.cc"
    for option in ("-o", "-MF", "-MT"):
        compiling[compiling.index(option) + 1] = f"{stem}.o{'.d' if option == '-MF' else ''}"
    subprocess.run(compiling, cwd=places.BUILD, check=True)
    linking = commands[-1].replace(" -o einlass ", f" {stem}.o -o {stem} ")
    assert linking != commands[-1], "the last of ninja's commands does not link einlass"
    subprocess.run(linking, shell=True, cwd=places.BUILD, check=True)
    return stem
