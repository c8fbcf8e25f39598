#!/usr/bin/env python3
"""The site of all Markdown pages, built by docs/site/build.sh: every page is there and in the navigation, every link in it
leads somewhere, and nothing is loaded from anywhere else."""

import html.parser
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

import links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NO_PAGE = "web"  # Other people's work, with a note of where it comes from.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("object", "data"), ("iframe", "src")}


class Html(html.parser.HTMLParser):
    """What one page of the site can be reached by, and what it names."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.addresses, self.loaded, self.navigation = set(), [], [], set()
        self._inside_navigation = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.anchors.update(one for one in (has.get("id"), has.get("name")) if one)
        if "wy-menu-vertical" in (has.get("class") or "") or (self._inside_navigation and tag == "div"):
            self._inside_navigation += 1
        address = has.get("href") or has.get("src") or has.get("data")
        if address:
            self.addresses.append(address)
            if {(tag, name) for name in has} & LOADED:
                self.loaded.append(address)
            if self._inside_navigation:
                self.navigation.add(address)

    def handle_endtag(self, tag):
        if self._inside_navigation and tag == "div":
            self._inside_navigation -= 1


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="einlass-site-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.built = subprocess.run([os.path.join(ROOT, "docs", "site", "build.sh"), cls.folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        cls.pages, cls.styles = {}, {}
        for folder, _, names in os.walk(cls.folder):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".html", ".css")):
                    with open(path, encoding="utf-8") as file:
                        text = file.read()
                    if name.endswith(".html"):
                        cls.pages[os.path.relpath(path, cls.folder)] = Html(text)
                    else:
                        cls.styles[os.path.relpath(path, cls.folder)] = re.findall(r"""url\(\s*["']?([^"')]+)""", text)

    def test_is_built_without_a_warning(self):
        self.assertEqual((self.built.returncode, self.built.stdout), (0, ""))

    def test_has_every_markdown_file_of_the_repository(self):
        written = {path[:-len(".md")] + ".html" for path in links.markdown_files(ROOT)
                   if path.split("/")[0] != NO_PAGE}
        self.assertGreater(len(written), 40)
        self.assertEqual(written - set(self.pages), set())

    def test_each_page_is_in_the_navigation(self):
        shown = {os.path.normpath(one.partition("#")[0]) for one in self.pages["README.html"].navigation}
        wanted = {path for path in self.pages if path not in
                  ("README.html", "index.html", "search.html", "genindex.html")}
        self.assertEqual(wanted - shown, set())

    def test_every_link_leads_somewhere(self):
        wrong = [f"{path}: {address}" for path, page in self.pages.items() for address in page.addresses
                 if not self.is_there(path, address)]
        self.assertEqual(wrong, [])

    def is_there(self, path, address):
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or address == "#":
            return True
        target = path
        if parts.path:
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
        if not os.path.isfile(os.path.join(self.folder, target)):
            return False
        return not parts.fragment or target not in self.pages or parts.fragment in self.pages[target].anchors

    def test_nothing_is_loaded_from_elsewhere(self):
        loaded = {**{path: page.loaded for path, page in self.pages.items()}, **self.styles}
        away = [f"{path}: {address}" for path, addresses in loaded.items() for address in addresses
                if urllib.parse.urlsplit(address).scheme not in ("", "data") or address.startswith("/")]
        self.assertEqual(away, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
