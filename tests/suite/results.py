"""tests/RESULTS.md: what came of ./test.sh --all, for whoever asks when it was last run and on what."""

import datetime
import os
import re
import subprocess

_PAGE = """# What came of everything

`./test.sh --all` wrote this page, {day}, on the sources of {commit}{changed}, in {minutes} minutes on {cores} cores.

{versions}.

**{passed} passed, {failed} failed, {skipped} not run{to_come}.**{list_of_others}

| test | | s |
|---|---|---|
{rows}
"""


# What only says how tests are run, and not what they test.
_NO_SOURCE = [":!tests/RESULTS.md", ":!tests/suite", ":!test.sh"]


def _page(root):
    return os.path.join(root, "tests", "RESULTS.md")


def _git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)


def before(root):
    """({test: (what ctest said, seconds)}, seconds of the run) by the page, if it is of these very sources; else nothing."""
    with open(_page(root)) as file:
        page = file.read()
    head = re.search(r" on the sources of (\w+), in (\d+) minutes", page)
    if not head or _git(root, "diff", "--quiet", head[1], "--", ".", *_NO_SOURCE).returncode:
        return {}, 0
    rows = re.findall(r"^\| (\w\S*) \| (.+) \| ([\d.]+) \|$", page, flags=re.M)
    return {name: (said, float(took)) for name, said, took in rows}, 60 * int(head[2])


def passed(said):
    return said.startswith("Passed")


def joined(earlier, ended):
    """What came of a run and of the one that went on with it. One that has not passed at once is seen on the page."""
    both = dict(earlier)
    for name, (said, took) in ended.items():
        tried = name in earlier and not earlier[name][0].startswith("Skipped")
        both[name] = (f"{said} (before: {earlier[name][0]})" if tried else said, took)
    return both


def write(root, ended, seconds, versions, to_come=0):
    """`ended`: {test: (what ctest said, seconds)}; `to_come`: how many more there are."""
    others = [f"{name}: {said}" for name, (said, _) in sorted(ended.items()) if said != "Passed"]
    skipped = sum(said.startswith(("Skipped", "Not Run")) for said, _ in ended.values())
    good = sum(passed(said) for said, _ in ended.values())
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *_NO_SOURCE).stdout
    page = _PAGE.format(
        day=datetime.date.today().isoformat(), commit=_git(root, "rev-parse", "--short", "HEAD").stdout.strip() or "an archive",
        changed=" with changes" if changed else "",
        minutes=round(seconds / 60), cores=os.cpu_count(), versions=versions,
        passed=good, failed=len(ended) - good - skipped, skipped=skipped, to_come=f", {to_come} to come" if to_come else "",
        list_of_others="\n\n" + "\n".join(f"- {one}" for one in others) if others else "",
        rows="\n".join(f"| {name} | {said} | {took:.1f} |" for name, (said, took) in sorted(ended.items())))
    with open(_page(root), "w") as file:
        file.write(page)
