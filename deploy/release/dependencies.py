"""Which packages a Debian package needs, of those that are installed in a system."""

import re

# Asked for by libraries, to ask questions when they are installed; nobody is asked in an image.
_ASKING = {"debconf", "debconf-2.0"}
_FIELD = re.compile(r"^(Package|Provides|Depends|Pre-Depends): (.*)$", re.MULTILINE)


class Installed:
    """By the text of a /var/lib/dpkg/status."""

    def __init__(self, status):
        self._needs, self._providers = {}, {}
        for told in filter(None, status.split("\n\n")):
            fields = dict(_FIELD.findall(told))
            name = fields["Package"]
            self._needs[name] = [group for field in ("Depends", "Pre-Depends") for group in _groups(fields.get(field, ""))]
            for group in _groups(fields.get("Provides", "")):
                self._providers.setdefault(group[0], name)

    def needed_by(self, name, without=()):
        """Its libraries, with those that they need; itself is none of them."""
        found, left = set(), [name]
        while left:
            for group in self._needs[left.pop()]:
                if _ASKING.intersection(group):
                    continue
                one = next(filter(None, map(self._installed, group)))
                if one not in found and one not in without:
                    found.add(one)
                    left.append(one)
        return sorted(found)

    def _installed(self, name):
        return name if name in self._needs else self._providers.get(name)


def _groups(field):
    """[[a, b], [c]] of `a (>= 1) | b, c`."""
    return [[re.split(r"[\s:(]", choice.strip())[0] for choice in part.split("|")] for part in field.split(",") if part.strip()]
