#!/usr/bin/env python3
"""Words that say nothing in file and type names, and what must not stay in the text:   names.py [ROOT]"""

import os
import re
import sys

import source_tree
from source_tree import Breach

FOLDERS = ["src", "tests", "lua", "deploy", "config", "grafana"]
TEXT = (".h", ".cc", ".c", ".py", ".sh", ".lua", ".txt", ".cmake", ".yaml", ".yml")

EMPTY_WORDS = {"manager", "util", "utility", "utilities", "helper", "common", "impl", "misc", "base",
               "handler", "processor"}

TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?|concept)\s+"
                  r"(?:\[\[[^\]]*\]\]\s*)?([A-Za-z_]\w*)")

# Pattern, folders, what to do. In brackets so that this file does not hold what it looks for.
BANNED = [
    (r"\bTO[D]O\b|\bFIX[M]E\b|\bXX[X]\b", FOLDERS, "do it, or open an issue and leave it out here"),
    (r"\bsleep_fo[r]\b|\bsleep_unti[l]\b", ["src"], "wait for an event; the loop has timers"),
    (r"std::has[h]<|unordered_\w+<\s*std::string(?!.*KeyedHash)", ["src"],
     "whoever writes records may choose its buckets; take KeyedHash (units/keyed_hash.h)"),
    (r"/tm[p]/", ["src"], "take the path as an option"),
]
CATCH_ALL = re.compile(r"\bcatch\s*\(\s*\.\.\.\s*\)")


def empty_word(name: str) -> str | None:
    """The first word of a snake_case or PascalCase name that says nothing."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
        word = word.lower()
        if word in EMPTY_WORDS or word.removesuffix("s") in EMPTY_WORDS:
            return word
    return None


def check_types(path: str, text: str) -> list[Breach]:
    breaches = []
    code = source_tree.code_only(text)
    for match in TYPE.finditer(code):
        word = empty_word(match[1])
        if word:
            breaches.append(Breach(path, source_tree.line_of(code, match.start()),
                                   f"type {match[1]}: '{word}' says nothing; name what it is"))
    return breaches


def check_strings(path: str, text: str) -> list[Breach]:
    folder = path.split("/")[0]
    breaches = []
    for pattern, folders, advice in BANNED:
        if folder not in folders:
            continue
        for match in re.finditer(pattern, text):
            breaches.append(Breach(path, source_tree.line_of(text, match.start()),
                                   f"'{match[0]}' must not stay: {advice}"))
    return breaches


def check_catch_all(path: str, text: str) -> list[Breach]:
    """A catch of everything needs its reason beside it: on its line, before it, or first inside."""
    breaches = []
    lines = text.split("\n")
    for match in CATCH_ALL.finditer(source_tree.without_comments(text)):
        number = source_tree.line_of(text, match.start())
        around = "\n".join(lines[max(0, number - 2):number + 1])
        if "//" not in around:
            breaches.append(Breach(path, number, "catch (.." ".) without a comment: say what is "
                                   "swallowed and why that is right"))
    return breaches


def check(root: str) -> list[Breach]:
    breaches = []
    for path in source_tree.files(root, FOLDERS, ("",)):
        word = empty_word(os.path.splitext(os.path.basename(path))[0])
        if word:
            breaches.append(Breach(path, 1, f"a file named '{word}' gathers everything; "
                                   "name what it holds"))
    for path in source_tree.files(root, FOLDERS, TEXT):
        text = source_tree.read(root, path)
        breaches += check_strings(path, text)
        if path.endswith(source_tree.CPP):
            breaches += check_types(path, text) + check_catch_all(path, text)
    return breaches


if __name__ == "__main__":
    sys.exit(source_tree.finish(check(sys.argv[1] if len(sys.argv) > 1 else ".")))
