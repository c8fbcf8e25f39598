"""The shared vectors: see vectors/README.md for their format."""

import glob
import json
import os
from types import SimpleNamespace

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
    return found
