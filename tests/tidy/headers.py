#!/usr/bin/env python3
"""Each header compiles alone:   headers.py ROOT BUILD_DIR

A header that some source includes first is proven by the build. Another one that passed is not tried
again until it, one of ours that it includes, or its flags change; BUILD_DIR/headers_passed.json
remembers.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from typing import Iterator

import source_tree

OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)
JOBS = 2


def compile_commands(build: str) -> list[dict[str, str]]:
    """One for each source; of those that are compiled together the command is that of all."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    return [{**entry, "file": source} for entry in commands for source in sources(entry["file"])]


def sources(file: str) -> list[str]:
    """The file itself, or those that it has the compiler read together."""
    if os.path.basename(os.path.dirname(file)) != "Unity":
        return [file]
    with open(file, encoding="utf-8") as text:
        return OWN_INCLUDE.findall(text.read())


def flags_by_folder(commands: list[dict[str, str]]) -> dict[str, list[str]]:
    """For each source folder, the compiler and the flags that the build uses there. Of C++: headers of C have none."""
    flags: dict[str, list[str]] = {}
    for entry in commands:
        if entry["file"].endswith(".c"):
            continue
        words = shlex.split(entry["command"])
        launcher = [at for at, word in enumerate(words) if "ccache" in os.path.basename(word)]
        words = words[launcher[0] + 1:] if launcher else words
        keep = [words[0]]
        for at, word in enumerate(words):
            if word == "-isystem":
                keep += [word, words[at + 1]]
            elif word.startswith(("-I", "-D", "-std", "-W", "-fno-", "-fsanitize")):
                keep.append(word)
        flags.setdefault(os.path.dirname(entry["file"]), keep)
    return flags


def included_first(root: str, commands: list[dict[str, str]]) -> set[str]:
    """The headers that are the first include of a source that is built by itself."""
    proven = set()
    alone = collections.Counter(entry["command"] for entry in commands)
    for entry in commands:
        if alone[entry["command"]] > 1:
            continue
        source = os.path.relpath(os.path.realpath(entry["file"]), root)
        if source.startswith(("src/", "tests/")) and os.path.isfile(os.path.join(root, source)):
            first = ANY_INCLUDE.search(source_tree.read(root, source))
            if first:
                proven.update(os.path.join(base, first[1]) for base in bases(source))
    return proven


def bases(path: str) -> tuple[str, ...]:
    """Where an include in this file may start."""
    return "src", "tests", os.path.dirname(path)


def nearest_flags(flags: dict[str, list[str]], root: str, header: str) -> list[str]:
    """The flags of the header's folder, or of the nearest folder above that has sources."""
    folder = os.path.dirname(os.path.join(root, header))
    while folder not in flags and folder != root:
        folder = os.path.dirname(folder)
    include = "-I" + os.path.join(root, header.split("/")[0])
    return flags.get(folder, ["c++", "-std=c++20"]) + ["-I" + os.path.join(root, "src"), include]


def with_includes(root: str, header: str, seen: set[str]) -> Iterator[str]:
    """The header's text and that of all of ours that it includes."""
    if header in seen:
        return
    seen.add(header)
    text = source_tree.read(root, header)
    yield text
    for include in OWN_INCLUDE.findall(text):
        for base in bases(header):
            path = os.path.join(base, include)
            if os.path.isfile(os.path.join(root, path)):
                yield from with_includes(root, path, seen)
                break


def compile_alone(root: str, header: str, flags: list[str]) -> str:
    """What the compiler has to say; empty if the header is fine."""
    source = f'#include "{os.path.join(root, header)}"\n'
    result = subprocess.run([*flags, "-fsyntax-only", "-x", "c++", "-"], input=source, text=True,
                            capture_output=True, check=False)
    return "" if result.returncode == 0 else result.stderr or "the compiler failed"


def load(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}  # A first run, or one that was cut short.


def main(root: str, build: str) -> int:
    root = os.path.realpath(root)
    memory = os.path.join(build, "headers_passed.json")
    passed = load(memory)
    commands = compile_commands(build)
    flags = flags_by_folder(commands)
    proven = included_first(root, commands)
    work: dict[str, tuple[list[str], str]] = {}
    keys: dict[str, str] = {}
    for header in source_tree.files(root, ["src", "tests"], (".h",)):
        if header in proven:
            continue
        own = nearest_flags(flags, root, header)
        text = "\0".join([*own, *with_includes(root, header, set())])
        keys[header] = hashlib.sha256(text.encode()).hexdigest()
        if passed.get(header) != keys[header]:
            work[header] = (own, keys[header])
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        said = dict(zip(work, pool.map(lambda h: compile_alone(root, h, work[h][0]), work)))
    with open(memory, "w", encoding="utf-8") as file:
        json.dump({h: key for h, key in keys.items() if not said.get(h)}, file)
    for header, text in said.items():
        if text:
            print(f"{header}:1: does not compile alone; include what it uses:\n{text}")
    return 1 if any(said.values()) else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: headers.py ROOT BUILD_DIR")
    sys.exit(main(sys.argv[1], sys.argv[2]))
