"""Commands of other programs as the pages tell them, for the tests that type them."""

import os
import re
import shlex

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def commands(page, program):
    """The words behind the program, of each command of it in the blocks of that page of docs."""
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        text = file.read().replace("\\\n", "")
    return [shlex.split(line) for line in re.findall(rf"^ +{re.escape(program)} (.*)$", text, re.MULTILINE)]


def redis_rights():
    """What docs/security.md gives to a Redis user that has limits there, as ACL SETUSER takes it."""
    [user] = commands("security.md", "redis-cli")
    return [word for word in user if word.startswith("+")]
