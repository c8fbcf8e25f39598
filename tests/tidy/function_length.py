#!/usr/bin/env python3
"""No function over 70 lines, no source file over 400:   function_length.py [ROOT]

Reads C, C++ (by its braces) and Python, in src, tests and deploy.
"""

import ast
import re
import sys
from typing import Iterator

import source_tree
from source_tree import Breach

FOLDERS = ["src", "tests", "lua", "deploy"]
FUNCTION_LINES = 70
FILE_LINES = 400

SCOPE = re.compile(r"^(?:inline\s+)?namespace\b|^extern\s*$|"
                   r"^(?:typedef\s+)?(?:class|struct|union|enum)\b")
AFTER_PARAMETERS = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|mutable|&&?)\s*)*"
                              r"(?:->[^;]*)?$")
ACCESS = {"public", "private", "protected"}
CTOR_COLON = re.compile(r"\)\s*(?:noexcept\s*)?:[^:]")


def closing(text: str, at: int) -> int:
    """Where the brace or bracket at `at` is closed. In parentheses, < and > compare."""
    pair = {"{": "}", "(": ")", "<": ">"}[text[at]]
    depth = 0
    i = at
    while i < len(text):
        if text[i] == text[at]:
            depth += 1
        elif text[i] == pair:
            depth -= 1
            if depth == 0:
                return i
        elif text[i] == "(" and pair == ">":
            i = closing(text, i)
        i += 1
    raise ValueError(f"line {source_tree.line_of(text, at)}: '{text[at]}' is never closed")


def declaration(head: str) -> str:
    """What stands before a brace, without attributes and template parameters."""
    head = head.strip()
    while True:
        attribute = re.match(r"\[\[[^\]]*\]\]", head)
        template = re.match(r"template\s*<", head)
        if attribute:
            head = head[attribute.end():].lstrip()
        elif template:
            head = head[closing(head, template.end() - 1) + 1:].lstrip()
        else:
            return head


def kind(head: str) -> str:
    """What a brace opens outside of functions: a 'scope', a 'function' or 'other' (a value)."""
    text = declaration(head)
    ends_in_parameters = AFTER_PARAMETERS.search(text) is not None
    if SCOPE.match(text) and not (ends_in_parameters and not text.startswith("namespace")):
        return "scope"
    outside = re.sub(r"\([^()]*\)", "()", re.sub(r"\([^()]*\)", "", text))
    if "operator" not in text and re.search(r"(?<![=!<>])=(?!=)", outside):
        return "function" if ends_in_parameters else "other"
    return "function" if "(" in text else "other"


def body_end(text: str, brace: int, head: str) -> int:
    """The end of the function whose first brace this is; it may be one of a member's initialiser."""
    end = closing(text, brace)
    while CTOR_COLON.search(head) and (following := re.match(r"\s*[,{]", text[end + 1:])):
        at = text.index("{", end + 1) if following[0].endswith(",") else end + following.end()
        end = closing(text, at)
    return end


def cpp_functions(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each function that stands in no other function."""
    code = source_tree.code_only(text)
    start = i = 0
    while i < len(code):
        character = code[i]
        if character == "(":
            i = closing(code, i)
        elif character in ";}" or (character == ":" and code[start:i].strip() in ACCESS):
            start = i + 1
        elif character == "{":
            head = code[start:i]
            what = kind(head)
            if what == "function":
                first = start + len(head) - len(head.lstrip())
                i = body_end(code, i, head)
                yield source_tree.line_of(code, first), source_tree.line_of(code, i)
                start = i + 1
            elif what == "other":
                i = closing(code, i)
            else:
                start = i + 1
        i += 1


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno or node.lineno


def check_file(path: str, text: str) -> Iterator[Breach]:
    lines = text.count("\n")
    if lines > FILE_LINES:
        yield Breach(path, FILE_LINES, f"{lines} lines, {FILE_LINES} are the most; split the file "
                     "by what its parts know")
    functions = iter(())
    if path.endswith(source_tree.CPP):
        functions = cpp_functions(text)
    elif path.endswith(".py"):
        functions = python_functions(text)
    try:
        for first, last in functions:
            if last - first + 1 > FUNCTION_LINES:
                yield Breach(path, first, f"a function of {last - first + 1} lines, "
                             f"{FUNCTION_LINES} are the most; give its steps names")
    except (ValueError, SyntaxError) as error:
        yield Breach(path, 1, f"cannot be read: {error}; mend it, or function_length.py")


def check(root: str) -> list[Breach]:
    suffixes = source_tree.CPP + (".py", ".lua", ".sh")
    return [breach for path in source_tree.files(root, FOLDERS, suffixes)
            for breach in check_file(path, source_tree.read(root, path))]


if __name__ == "__main__":
    sys.exit(source_tree.finish(check(sys.argv[1] if len(sys.argv) > 1 else ".")))
