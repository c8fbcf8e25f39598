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
_NO_SOURCE = [":!tests/RESULTS.md", ":!test.sh",
              *(f":!tests/suite/{name}" for name in ("run.py", "progress.py", "progress_test.py", "results.py", "versions.py",
                                                     "usual_seconds.json"))]


class Unusable(Exception):
    """Nothing can go on from the page: why."""


def _page(root):
    return os.path.join(root, "tests", "RESULTS.md")


def _git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)


def sources(root):
    """The commit that they are of, if they are those of one; a file that git does not know yet is built as well."""
    commit = _git(root, "rev-parse", "--short", "HEAD").stdout.strip()
    return commit if commit and not _changed_since(root, commit) else None


def _changed_since(root, commit):
    return (_git(root, "diff", "--quiet", commit, "--", ".", *_NO_SOURCE).returncode != 0
            or _git(root, "ls-files", "--others", "--exclude-standard", "--", ".", *_NO_SOURCE).stdout != "")


def before(root, versions):
    """({test: (what ctest said, seconds)}, seconds of the run) by the page. Throws Unusable if it is not of these very sources
    on such a machine."""
    with open(_page(root)) as file:
        page = file.read()
    head = re.search(r" on the sources of (\w+), in (\d+) minutes on (\d+) cores", page)
    if not head:
        raise Unusable("it is not of a commit's sources")
    if _changed_since(root, head[1]):
        raise Unusable(f"the sources are not those of {head[1]} any more")
    if int(head[3]) != os.cpu_count() or f"\n{versions}.\n" not in page:
        raise Unusable("it is of another machine, or of other versions")
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


def write(root, began_on, ended, seconds, versions, to_come=0):
    """`began_on`: what sources() said then; `ended`: {test: (what ctest said, seconds)}; `to_come`: how many more there are."""
    others = [f"{name}: {said}" for name, (said, _) in sorted(ended.items()) if said != "Passed"]
    skipped = sum(said.startswith(("Skipped", "Not Run")) for said, _ in ended.values())
    good = sum(passed(said) for said, _ in ended.values())
    commit = began_on or _git(root, "rev-parse", "--short", "HEAD").stdout.strip()
    page = _PAGE.format(
        day=datetime.date.today().isoformat(), commit=commit or "an archive",
        changed=" with changes" if commit and (not began_on or _changed_since(root, began_on)) else "",
        minutes=round(seconds / 60), cores=os.cpu_count(), versions=versions,
        passed=good, failed=len(ended) - good - skipped, skipped=skipped, to_come=f", {to_come} to come" if to_come else "",
        list_of_others="\n\n" + "\n".join(f"- {one}" for one in others) if others else "",
        rows="\n".join(f"| {name} | {said} | {took:.1f} |" for name, (said, took) in sorted(ended.items())))
    with open(_page(root), "w") as file:
        file.write(page)
