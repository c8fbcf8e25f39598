"""The files that the checks look at, their text without comments or literals, and how a breach is told."""

import os
import re
from typing import Iterable, Iterator, NamedTuple

CPP = (".h", ".cc", ".c")
NOT_OURS = {"build", "node_modules", "__pycache__"}


class Breach(NamedTuple):
    path: str
    line: int
    message: str  # What is wrong, and what to do.

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def files(root: str, folders: Iterable[str], suffixes: tuple[str, ...]) -> Iterator[str]:
    """Paths below `root`, in a fixed order, of the files of these kinds in these folders."""
    for folder in folders:
        for place, below, names in os.walk(os.path.join(root, folder)):
            below[:] = sorted(d for d in below if d not in NOT_OURS and not d.startswith("."))
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(place, name), root)


def read(root: str, path: str) -> str:
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


_COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?\*/"
_LITERAL = (r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
            r'|"(?:\\.|[^"\\\n])*"'
            r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'")
_COMMENT_OR_LITERAL = re.compile(f"(?P<comment>{_COMMENT})|(?P<literal>{_LITERAL})", re.DOTALL)


def without_comments(text: str) -> str:
    """C++ text with spaces in place of comments: every character stays where it was."""
    return _COMMENT_OR_LITERAL.sub(
        lambda m: _spaces(m[0]) if m["comment"] is not None else m[0], text)


def code_only(text: str) -> str:
    """C++ text with spaces in place of comments, literals, preprocessor lines and #else branches."""
    text = _COMMENT_OR_LITERAL.sub(lambda m: _spaces(m[0]), text)
    text = re.sub(r"^[ \t]*#[ \t]*(?:else|elif)\b.*?^[ \t]*#[ \t]*endif\b",
                  lambda m: _spaces(m[0]), text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: _spaces(m[0]), text, flags=re.MULTILINE)


def finish(breaches: list[Breach]) -> int:
    """Prints the breaches; returns the exit code."""
    for breach in breaches:
        print(breach)
    if breaches:
        print(f"{len(breaches)} to mend")
    return 1 if breaches else 0
