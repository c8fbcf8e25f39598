"""The shared vectors: see vectors/README.md for their format."""

import glob
import json
import os
from types import SimpleNamespace

LEAST = 60  # There are more: fewer means that they are looked for in a wrong place.
DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors")


def load():
    """All of them: name, limits, asked, lines (without notes) and the expected answers."""
    found = []
    for path in sorted(glob.glob(os.path.join(DIRECTORY, "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            head, *rest = [json.loads(line) for line in file]
        lines = [{name: value for name, value in line.items() if name != "note"} for line in rest[0::2]]
        found.append(SimpleNamespace(name=os.path.basename(path), limits=head["limits"], asked=head["asked"],
                                     lines=lines, answers=rest[1::2]))
    if len(found) < LEAST:
        raise LookupError(f"only {len(found)} vectors are in {DIRECTORY}")
    return found
