#!/usr/bin/env python3
"""The pages in docs say what the program does: their examples, and the pictures and table of docs/limiters, are current.

    pages_test.py --einlass BINARY
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
PAGES = os.path.join(DOCS, "limiters")
WITH_EXAMPLES = [*sorted(glob.glob(os.path.join(PAGES, "*.md"))), *sorted(glob.glob(os.path.join(DOCS, "targets", "*.md"))),
                 os.path.join(DOCS, "retries.md")]


def wrong_examples(einlass):
    """What `einlass check` says of the examples that do not pass."""
    examples = 0
    for path in WITH_EXAMPLES:
        with open(path, encoding="utf-8") as file:
            found = re.findall(r"```yaml\n(.*?)```", file.read(), re.DOTALL)
        for example in found:
            if "targets" in path and "routes:" not in example:
                continue  # A part of a target.
            examples += 1
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
                config.write(example)
                config.flush()
                # Not check, which also tries the files of certificates, and nobody has those here.
                done = subprocess.run([einlass, "print-config", "-c", config.name], capture_output=True, text=True,
                                      check=False)
            if done.returncode != 0:
                yield f"{os.path.basename(path)}: {done.stderr.strip()}"
    if examples < 10:
        yield f"only {examples} examples found"


def wrong_links():
    for path in WITH_EXAMPLES:
        with open(path, encoding="utf-8") as file:
            for link in re.findall(r"\]\(([^)#:]+)\)", file.read()):
                if not os.path.exists(os.path.join(os.path.dirname(path), link)):
                    yield f"{os.path.basename(path)}: {link} is not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--einlass", required=True)
    options = parser.parse_args()
    wrong = [*wrong_examples(options.einlass), *wrong_links()]
    for script in ("draw.py", "compared.py"):
        done = subprocess.run([sys.executable, os.path.join(PAGES, script), "--einlass", options.einlass, "--check"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            wrong.append(f"{script}: {done.stdout}{done.stderr}")
    for line in wrong:
        print("FAILED: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
