#!/usr/bin/env python3
"""Every link in every Markdown file of a folder leads somewhere: to a file that is there, and to a heading that it has.

    links.py [ROOT]

Links to other places are not followed; that they are spelled as addresses is all that is asked of them.
"""

import os
import re
import sys
import urllib.parse

from markdown_it import MarkdownIt

LEFT_OUT = {"build", ".git", ".cache", "node_modules"}
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def markdown_files(root):
    """Relative to `root`, in order."""
    found = []
    for folder, inside, names in os.walk(root):
        inside[:] = [one for one in inside if one not in LEFT_OUT]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(".md")]
    return sorted(found)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


class Page:
    def __init__(self, text):
        self.anchors, self.links = set(), []  # Links as (line, address).
        tokens = _MARKDOWN.parse(text)
        for before, token in zip([None, *tokens], tokens):
            if token.type != "inline":
                continue
            if before.type == "heading_open":
                self._add_anchor(slug("".join(one.content for one in token.children)))
            self._add_links(token)

    def _add_anchor(self, name):
        wanted, number = name, 0
        while name in self.anchors:
            number += 1
            name = f"{wanted}-{number}"
        self.anchors.add(name)

    def _add_links(self, inline):
        for one in inline.children:
            address = one.attrGet("href") or one.attrGet("src")
            if address:
                self.links.append((inline.map[0] + 1, address))


def broken(root):
    """What is wrong, one line each."""
    pages = {}
    for path in markdown_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            pages[path] = Page(file.read())
    return [f"{path}:{line}: {address}: {trouble}" for path, page in pages.items() for line, address in page.links
            for trouble in [trouble_with(root, pages, path, address)] if trouble]


def trouble_with(root, pages, path, address):
    there, _, anchor = address.partition("#")
    if urllib.parse.urlsplit(address).scheme:
        return "" if re.match(r"(https?://[^\s/]+|mailto:)", address) else "this is no address"
    target = path
    if there:
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(there)))
        if target.startswith("..") or not os.path.exists(os.path.join(root, target)):
            return "there is no such file"
        if os.path.isdir(os.path.join(root, target)):
            return "a folder is no page; name a file in it"
    if anchor and (target not in pages or anchor not in pages[target].anchors):
        return "there is no such heading"
    return ""


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    found = broken(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
