#!/usr/bin/env python3
"""Scripts set no global and read only those that Redis gives them:   lua_globals.py LUAC [ROOT]

Redis refuses a script that touches another global, but only when it gets there. LUAC is the compiler
of Lua 5.1, Redis' language; its listing shows every global that is touched. The files of lua/ are
joined to scripts, so what stands in one as a local of its own may be used in another.
"""

import re
import subprocess
import sys

import source_tree
from source_tree import Breach

GIVEN = set("""
    redis KEYS ARGV cjson cmsgpack bit struct math string table assert error ipairs next pairs pcall
    select tonumber tostring type unpack""".split())

OWN_LOCAL = re.compile(r"^local (?:function )?([\w, ]+)", re.MULTILINE)

# As in:  [12] GETGLOBAL 0 -3 ; redis
TOUCH = re.compile(r"\[(\d+)\]\s+(GETGLOBAL|SETGLOBAL)\s.*;\s*(\S+)")


def own_locals(root: str, paths: list[str]) -> set[str]:
    """What the files define outside of any block."""
    names = set()
    for path in paths:
        for declared in OWN_LOCAL.findall(source_tree.read(root, path)):
            names.update(name.strip() for name in declared.split(","))
    return names


def check_file(luac: str, root: str, path: str, known: set[str]) -> list[Breach]:
    result = subprocess.run([luac, "-p", "-l", path], cwd=root, capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        where = re.search(r":(\d+): (.*)", result.stderr)
        line, what = (int(where[1]), where[2]) if where else (1, result.stderr.strip())
        return [Breach(path, line, f"is not Lua 5.1: {what}")]
    breaches = []
    for line, verb, name in TOUCH.findall(result.stdout):
        if verb == "SETGLOBAL":
            breaches.append(Breach(path, int(line), f"sets the global {name}; make it local"))
        elif name not in known:
            breaches.append(Breach(path, int(line), f"reads the global {name}, which Redis does "
                                   "not give; define it before, as a local"))
    return breaches


def main(luac: str, root: str) -> int:
    paths = list(source_tree.files(root, ["lua"], (".lua",)))
    known = GIVEN | own_locals(root, paths)
    return source_tree.finish([breach for path in paths
                               for breach in check_file(luac, root, path, known)])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: lua_globals.py LUAC [ROOT]")
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."))
