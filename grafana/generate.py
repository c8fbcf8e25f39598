#!/usr/bin/env python3
"""Writes the dashboards in dashboards/ anew; with --check, says which of them are not what it would write.

Each module of boards/ is one dashboard; parts.py has what they are made of. Standard library only.
"""

import argparse
import json
import os
import sys

from boards import limits, overview, route_and_target

HERE = os.path.dirname(os.path.abspath(__file__))
BOARDS = (overview, limits, route_and_target)


def texts():
    """{file name: its text} of all dashboards."""
    made = (one.board() for one in BOARDS)
    return {f"{one['uid']}.json": json.dumps(one, indent=1) + "\n" for one in made}


def differences(directory):
    """What is there and is not what it should be, one sentence each."""
    wanted = texts()
    found = []
    for name in sorted(set(wanted) | set(os.listdir(directory))):
        path = os.path.join(directory, name)
        if name not in wanted:
            found.append(f"{path}: no board makes this file; take it away")
        elif not os.path.exists(path):
            found.append(f"{path}: is missing; run grafana/generate.py")
        else:
            with open(path) as file:
                if file.read() != wanted[name]:
                    found.append(f"{path}: is not current; run grafana/generate.py")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if something is not current")
    parser.add_argument("--directory", default=os.path.join(HERE, "dashboards"))
    arguments = parser.parse_args()
    if arguments.check:
        found = differences(arguments.directory)
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    for name, text in texts().items():
        with open(os.path.join(arguments.directory, name), "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
