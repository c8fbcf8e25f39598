"""What a page has its reader type, and what it says will come out, taken from the Markdown itself."""

import re

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


class Step:
    """One ```sh block. `expected` is the ```text block after it, or None. A step to `look` (```sh look) changes nothing:
    its reader looks again until he sees what the page says."""

    def __init__(self, line, commands, look):
        self.line, self.commands, self.look, self.expected = line, commands, look, None


def steps(markdown):
    found, before = [], None
    for fence in _FENCE.finditer(markdown):
        info = fence["info"].split()
        line = markdown.count("\n", 0, fence.start()) + 1
        if info[:1] == ["sh"]:
            if info[1:] not in ([], ["look"]):
                raise ValueError(f"line {line}: nobody knows what {' '.join(info)!r} means")
            found.append(Step(line, fence["body"], info[1:] == ["look"]))
            before = found[-1]
            continue
        if info == ["text"]:
            if before is None:
                raise ValueError(f"line {line}: there is no ```sh block that this could come out of")
            before.expected = fence["body"]
        before = None
    return found


def agrees(expected, printed):
    """`...` in a line stands for whatever is there; a line that is only `...` for any lines. Blanks at an end of a line
    do not count, and where `...` stands between blanks these may be more or fewer."""
    pattern = ""
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
            continue
        parts = [re.escape(part.strip()) if 0 < place else re.escape(part.rstrip())
                 for place, part in enumerate(line.split("..."))]
        pattern += r"[^\n]*?".join(parts) + r"[ \t]*\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))) is not None
