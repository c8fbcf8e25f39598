"""The site made of the Markdown of this repository: docs/site/build.sh runs Sphinx with this file.

Sphinx with MyST, because it reads Markdown, makes the same anchors as GitHub, and reports each broken link and each page
that is not in the navigation as an error. The theme of Read the Docs, because it loads nothing from elsewhere and fits a
phone. All are Debian packages. The pages stay plain Markdown: the navigation is here.
"""

import os
import re

project = "Einlass"
author = "the authors of Einlass"
language = "en"

extensions = ["myst_parser"]
root_doc = "README"
source_suffix = {".md": "markdown"}
include_patterns = ["**.md"]
exclude_patterns = ["build", ".*", "web"]  # web/ has other people's work with a note of where it comes from.

myst_heading_anchors = 6  # As GitHub makes them.

html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "collapse_navigation": True}
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_show_sphinx = False
html_show_copyright = False
html_title = "Einlass"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "default"


def limiters():
    """Their pages, in the order in which the page that compares them names them."""
    with open(os.path.join(os.path.dirname(__file__), "..", "limiters", "README.md"), encoding="utf-8") as page:
        named = re.findall(r"\]\((\w+)\.md\)", page.read())
    return ["docs/limiters/" + name for name in dict.fromkeys(named)]


# Title, and the pages in the order in which they are read.
NAVIGATION = [
    ("Begin", ["docs/README", "docs/getting_started", "docs/concepts", "docs/faq", "docs/comparison", "docs/performance",
               "docs/support", "CHANGELOG"]),
    ("Configure", ["docs/cookbook", "config/options", "docs/topics", "docs/receiver", "docs/targets/http",
                   "docs/targets/http2", "docs/targets/kafka", "docs/managed_kafka", "docs/managed_redis", "docs/filters", "docs/retries",
                   "docs/shares", "docs/steering", "docs/dead_letters"]),
    ("Limiters", ["docs/limiters/README", *limiters(), "docs/replay", "lua/README"]),
    ("Promises", ["docs/guarantees", "docs/outages", "docs/security", "SECURITY"]),
    ("Run", ["docs/deploy", "docs/operations", "docs/upgrading", "docs/cli", "docs/admin", "docs/sizing", "docs/live_page", "docs/why",
             "docs/metrics", "docs/log", "docs/tracing", "grafana/README", "docs/runbook"]),
    ("Develop", ["CONTRIBUTING", "src/README", "docs/decisions", "tests/README", "tests/simulation/README",
                 "tests/whole_gate/README",
                 "tests/conformance/README", "tests/conformance/vectors/README", "tests/chaos/README", "tests/chaos/RESULTS",
                 "tests/weather/README", "tests/weather/RESULTS", "tests/fuzz/README", "tests/hostile/README",
                 "tests/bench/README", "tests/RESULTS"]),
]


def add_navigation(_, page, source):
    if page == root_doc:
        for title, pages in NAVIGATION:
            entries = "\n".join("/" + one for one in pages)
            source[0] += f"\n```{{toctree}}\n:caption: {title}\n:hidden:\n\n{entries}\n```\n"


def add_front_door(app, error):
    """Opening the folder leads to the first page."""
    if error is None:
        with open(os.path.join(app.outdir, "index.html"), "w", encoding="utf-8") as file:
            file.write(f'<!DOCTYPE html><meta charset="utf-8"><title>{project}</title>'
                       f'<meta http-equiv="refresh" content="0; url={root_doc}.html">'
                       f'<a href="{root_doc}.html">{project}</a>\n')


def setup(app):
    app.connect("source-read", add_navigation)
    app.connect("build-finished", add_front_door)
