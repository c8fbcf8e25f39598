#!/usr/bin/env python3
"""Lines of prose in the pages of a folder are short enough to be read beside a diff.

    lines.py [ROOT]

Tables, code and the addresses of links may be as long as they have to be.
"""

import os
import re
import sys

from markdown_it import MarkdownIt

import links

MOST = 130
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_LEFT_OUT = {"fence", "code_block", "table_open", "html_block"}


def too_long(text):
    """[(line, its length without addresses)]."""
    excused = {line for token in _MARKDOWN.parse(text) if token.type in _LEFT_OUT for line in range(*token.map)}
    lengths = [(number + 1, len(re.sub(r"\]\([^)]*\)|^\s*!\[.*|<https?:[^>]*>", "]", line)))
               for number, line in enumerate(text.split("\n")) if number not in excused]
    return [(number, length) for number, length in lengths if length > MOST]


def mistakes(root):
    """In docs and the first page, one line each."""
    found = []
    for path in ["README.md", *(os.path.join("docs", name) for name in links.markdown_files(os.path.join(root, "docs")))]:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            found += [f"{path}:{number}: {length} characters: at most {MOST} outside tables, code and links"
                      for number, length in too_long(file.read())]
    return found


if __name__ == "__main__":
    said = mistakes(sys.argv[1] if len(sys.argv) > 1 else ".")
    print("\n".join(said), end="\n" if said else "")
    sys.exit(bool(said))
