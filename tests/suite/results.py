"""tests/RESULTS.md: what came of ./test.sh --all, for whoever asks when it was last run and on what."""

import datetime
import os
import subprocess

_PAGE = """# What came of everything

`./test.sh --all` wrote this page, {day}, on the sources of {commit}{changed}, in {minutes} minutes on {cores} cores.

{versions}.

**{passed} passed, {failed} failed, {skipped} not run.**{list_of_others}

| test | | s |
|---|---|---|
{rows}
"""


def _git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False).stdout.strip()


def write(root, ended, seconds, versions):
    """`ended`: {test: (what ctest said, seconds)}."""
    others = [f"{name}: {said}" for name, (said, _) in sorted(ended.items()) if said != "Passed"]
    skipped = sum(said.startswith(("Skipped", "Not Run")) for said, _ in ended.values())
    page = _PAGE.format(
        day=datetime.date.today().isoformat(), commit=_git(root, "rev-parse", "--short", "HEAD") or "an archive",
        changed=" with changes" if _git(root, "status", "--porcelain", "--untracked-files=no") else "",
        minutes=round(seconds / 60), cores=os.cpu_count(), versions=versions,
        passed=len(ended) - len(others), failed=len(others) - skipped, skipped=skipped,
        list_of_others="\n\n" + "\n".join(f"- {one}" for one in others) if others else "",
        rows="\n".join(f"| {name} | {said} | {took:.1f} |" for name, (said, took) in sorted(ended.items())))
    with open(os.path.join(root, "tests", "RESULTS.md"), "w") as file:
        file.write(page)
