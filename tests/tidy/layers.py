#!/usr/bin/env python3
"""Who may include whom:   layers.py [ROOT]

main -> app -> { adapters/*, config } -> { core, limits } -> units. Every library has its own folder.
The core and the limits get by with the headers listed here: no clock, thread, file or stream.
"""

import os
import re
import sys

import source_tree
from source_tree import Breach

# Folder (adapters/* for each adapter): what it may include, besides itself.
MAY_INCLUDE = {
    "units": set(),
    "core": {"units"},
    "limits": {"units"},
    "config": {"core", "limits", "units"},
    "adapters/*": {"core", "limits", "units"},
    "app": {"adapters/*", "config", "core", "limits", "units"},
    "main": {"app", "config", "units"},
    "asio": set(),
}

# First part of an include: the folders that may have it.
LIBRARIES = {
    "boost": {"adapters/http", "adapters/memory", "adapters/redis", "adapters/kafka", "app", "asio"},
    "librdkafka": {"adapters/kafka"},
    "hiredis": {"adapters/redis"},
    "nghttp2": {"adapters/http"},
    "prometheus": {"adapters/metrics"},
    "spdlog": {"adapters/log"},
    "yaml-cpp": {"config"},
    "CLI": {"app", "main"},
    "nlohmann": {"adapters/http", "app", "config", "main"},
    "openssl": {"adapters/http", "adapters/redis"},
    "zlib.h": {"adapters/http"},
    "simdjson.h": {"app"},
}

# Our headers outside of src, and who may include them.
OUTSIDE = {"lua/scripts.h": {"adapters/redis"}, "web/page.h": {"app"}}

PURE = {"core", "limits"}
PURE_HEADERS = set("""
    algorithm array bit compare concepts cstddef cstdint cstring deque initializer_list iterator limits
    map memory numeric optional queue set span string string_view tuple type_traits utility variant
    vector""".split())

# Beyond the standard library: librdkafka reads patterns of topics with it, and we must read them the same.
OF_UNITS = {"regex.h"}

# The operating system's own headers, which only the outer folders may use.
SYSTEM = {"arpa", "linux", "net", "netinet", "sys"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)


def folder_of(path: str) -> str:
    """The folder of a path below src, as the tables name it. A file in src itself is its own."""
    parts = path.split("/")
    if parts[0] == "adapters" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else os.path.splitext(parts[0])[0]


def table_name(folder: str) -> str:
    return "adapters/*" if folder.startswith("adapters/") else folder


def own_include(root: str, folder: str, include: str) -> str | None:
    if include in OUTSIDE:
        only = OUTSIDE[include]
        return None if folder in only else f'"{include}" is only for {", ".join(sorted(only))}'
    if not os.path.isfile(os.path.join(root, "src", include)):
        return f'"{include}" is not below src; write our headers as "core/event.h", others in <>'
    target = folder_of(include)
    if target == folder:
        return None
    allowed = MAY_INCLUDE[table_name(folder)]
    if table_name(target) in allowed:
        return None
    known = ", ".join(sorted(allowed)) or "nothing of ours"
    return f'{folder} may not include {target}, only {known}; hand "{include}" in from above'


def library_include(folder: str, include: str) -> str | None:
    first = include.split("/")[0]
    if first in LIBRARIES:
        if folder in LIBRARIES[first]:
            return None
        return f"<{include}> is only for {', '.join(sorted(LIBRARIES[first]))}; ask them instead"
    if "/" in include and first not in SYSTEM:
        return f"<{include}> is of a library that layers.py does not know; say there whose it is"
    if folder in PURE and include not in PURE_HEADERS:
        return f"{folder} is pure and does without <{include}>; take it as an argument or an event"
    if folder == "units" and include not in OF_UNITS and ("/" in include or include.endswith(".h")):
        return f"units use the standard library only, not <{include}>"
    return None


def check(root: str) -> list[Breach]:
    breaches = []
    for path in source_tree.files(root, ["src"], source_tree.CPP):
        folder = folder_of(path.removeprefix("src/"))
        text = source_tree.without_comments(source_tree.read(root, path))
        if table_name(folder) not in MAY_INCLUDE:
            breaches.append(Breach(path, 1, f"layers.py does not know src/{folder}; add its rule"))
            continue
        for match in INCLUDE.finditer(text):
            library, own = match.groups()
            wrong = library_include(folder, library) if library else own_include(root, folder, own)
            if wrong:
                breaches.append(Breach(path, source_tree.line_of(text, match.end()), wrong))
    return breaches


if __name__ == "__main__":
    sys.exit(source_tree.finish(check(sys.argv[1] if len(sys.argv) > 1 else ".")))
