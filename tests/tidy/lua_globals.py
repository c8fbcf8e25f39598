#!/usr/bin/env python3
"""Scripts set no global and read only those that Redis gives them:   lua_globals.py LUAC [ROOT]

Redis refuses a script that sets a global, but only when it gets there. LUAC is Lua 5.1's compiler,
the language of Redis; its listing shows every global that is touched.
"""

import re
import subprocess
import sys

import source_tree
from source_tree import Breach

GIVEN = set("""
    redis KEYS ARGV cjson cmsgpack bit struct math string table assert error ipairs next pairs pcall
    select tonumber tostring type unpack""".split())

# As in:  [12] GETGLOBAL 0 -3 ; redis
TOUCH = re.compile(r"\[(\d+)\]\s+(GETGLOBAL|SETGLOBAL)\s.*;\s*(\S+)")


def check_file(luac: str, root: str, path: str) -> list[Breach]:
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
        elif name not in GIVEN:
            breaches.append(Breach(path, int(line), f"reads the global {name}, which Redis does "
                                   "not give; define it before, as a local"))
    return breaches


def main(luac: str, root: str) -> int:
    return source_tree.finish([breach for path in source_tree.files(root, ["lua"], (".lua",))
                               for breach in check_file(luac, root, path)])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: lua_globals.py LUAC [ROOT]")
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."))
