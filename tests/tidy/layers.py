#!/usr/bin/env python3
"""Who may include whom:   layers.py [ROOT]

main -> app -> { adapters/*, config } -> { core, limits, net } -> text -> units, but config without net, and core and limits
without text. Every library has its own folder, and a large one has rooms in it, of which none includes one that includes
it. The core and the limits get by with the headers listed here: no clock, thread, file or stream.
"""

import os
import re
import sys

import source_tree
from source_tree import Breach

# Folder (adapters/* for each adapter): what it may include, besides itself.
MAY_INCLUDE = {
    "units": set(),
    "text": {"units"},
    "core": {"units"},
    "limits": {"units"},
    "net": {"text", "units"},
    "config": {"core", "limits", "text", "units"},
    "adapters/*": {"core", "limits", "net", "text", "units"},
    "app": {"adapters/*", "config", "core", "limits", "net", "text", "units"},
    "main": {"app"},
    "asio": set(),
}

# The rooms of a folder, the lowest first, and which of those above it here each may include. What lies in the folder
# itself is its door: it may include every room, and none includes it.
ROOMS = {
    "core": {
        "containers": "",
        "contract": "containers",
        "records": "containers contract",
        "fairness": "containers contract records",
        "delivery": "containers contract records",
        "commits": "containers contract records delivery",
        "lines": "containers contract records fairness delivery",
        "admission": "containers contract records fairness delivery lines",
        "gate": "containers contract records delivery commits lines admission",
    },
    "config": {
        "text": "",
        "model": "text",
        "tables": "text model",
        "limits": "text model tables",
        "options": "text model tables",
        "file": "text model tables options",
    },
    "limits": {
        "contract": "",
        "windows": "contract",
        "rates": "contract",
        "permits": "contract windows rates",
        "fleet": "contract permits",
    },
    "adapters/http": {
        "wire": "",
        "resolver": "wire",
        "server": "wire",
        "client": "wire resolver",
        "http2": "wire client",
        "login": "wire resolver client",
        "aws": "wire resolver client login",
        "target": "wire resolver client http2 login",
    },
    "adapters/redis": {
        "wire": "",
        "client": "wire",
        "calls": "wire client",
        "nodes": "wire client calls",
        "store": "client calls nodes",
        "table": "wire client nodes",
        "replay": "wire client calls nodes",
    },
    "adapters/kafka": {
        "client": "",
        "questions": "client",
        "partitions": "client questions",
        "source": "client questions partitions",
        "producing": "client",
        "reader": "client questions partitions",
        "table": "client questions producing",
        "check": "client questions",
        "mock": "",
    },
    "app": {
        "process": "",
        "setup": "process",
        "json": "",
        "record": "setup json",
        "permits": "process setup record",
        "steering": "process setup record permits",
        "targets": "process setup record",
        "tracing": "setup record",
        "shard": "process setup json record permits targets tracing",
        "views": "setup record permits shard",
        "service": "setup permits shard views",
        "status": "setup record permits steering shard views service",
        "pages": "setup steering views service status",
        "asking": "process setup steering views",
        "redrive": "process setup record permits steering shard views",
        "demo": "process setup steering shard views service status pages",
        "replay": "process setup",
    },
}
DOORS = {"app"}  # The only folders with rooms that have something in them besides.

# First part of an include: the folders or rooms that may have it.
LIBRARIES = {
    "boost": {"adapters/http", "adapters/memory", "adapters/redis", "adapters/kafka", "app", "asio"},
    "librdkafka": {"adapters/kafka"},
    "hiredis": {"adapters/redis/wire"},
    "nghttp2": {"adapters/http/http2"},
    "prometheus": {"adapters/metrics"},
    "spdlog": {"adapters/log"},
    "yaml-cpp": {"config/text"},
    "cctz": {"config/model"},
    "CLI": {"app"},
    "nlohmann": {"adapters/http", "app", "config"},
    "openssl": {"adapters/http", "adapters/redis/wire", "net"},
    "zlib.h": {"adapters/http/target"},
    "simdjson.h": {"app/json"},
}

# Our headers outside of src, and who may include them.
OUTSIDE = {"lua/scripts.h": {"adapters/redis"}, "web/page.h": {"app/pages"}}

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


def room_of(path: str) -> str:
    """The room of a path below src in its folder; empty at the door, and where there are none."""
    folder = folder_of(path)
    below = path.removeprefix(folder + "/").split("/")
    return below[0] if folder in ROOMS and len(below) > 1 else ""


def place_of(path: str) -> str:
    return "/".join(filter(None, (folder_of(path), room_of(path))))


def table_name(folder: str) -> str:
    return "adapters/*" if folder.startswith("adapters/") else folder


def is_in(place: str, places: set[str]) -> bool:
    """Whether a room, or the folder that it is in, is among them."""
    return place in places or os.path.dirname(place) in places


def backwards(rooms: dict[str, str]) -> list[str]:
    """The rooms that name one which does not stand above them: so there may be a circle."""
    names = list(rooms)
    return [room for at, room in enumerate(names) if not set(rooms[room].split()) <= set(names[:at])]


def unknown_place(path: str) -> str | None:
    folder, room = folder_of(path), room_of(path)
    if table_name(folder) not in MAY_INCLUDE:
        return f"layers.py does not know src/{folder}; add its rule"
    if room and room not in ROOMS[folder]:
        return f"layers.py does not know the room src/{folder}/{room}; add its rule"
    if folder in ROOMS and not room and folder not in DOORS:
        return f"src/{folder} has rooms: {', '.join(ROOMS[folder])}; put it into the one whose job it does"
    return None


def between_rooms(path: str, include: str) -> str | None:
    """An include within one folder."""
    folder, room, target = folder_of(path), room_of(path), room_of(include)
    if not room or room == target or target in ROOMS[folder][room].split():
        return None
    known = ", ".join(ROOMS[folder][room].split()) or "none of the other rooms"
    above = f"{folder}/{target}" if target else f"what lies in {folder} itself"
    return f'{folder}/{room} may not include {above}, only {known}; move what "{include}" has for it down'


def own_include(root: str, path: str, include: str) -> str | None:
    folder = folder_of(path)
    if include in OUTSIDE:
        only = OUTSIDE[include]
        return None if is_in(place_of(path), only) else f'"{include}" is only for {", ".join(sorted(only))}'
    if not os.path.isfile(os.path.join(root, "src", include)):
        return f'"{include}" is not below src; write our headers as "core/contract/event.h", others in <>'
    target = folder_of(include)
    if target == folder:
        return between_rooms(path, include)
    allowed = MAY_INCLUDE[table_name(folder)]
    if table_name(target) in allowed:
        return None
    known = ", ".join(sorted(allowed)) or "nothing of ours"
    return f'{folder} may not include {target}, only {known}; hand "{include}" in from above'


def library_include(path: str, include: str) -> str | None:
    folder = folder_of(path)
    first = include.split("/")[0]
    if first in LIBRARIES:
        if is_in(place_of(path), LIBRARIES[first]):
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
    breaches = [Breach("tests/tidy/layers.py", 1, f"{folder}/{room} includes a room that does not stand above it")
                for folder, rooms in ROOMS.items() for room in backwards(rooms)]
    for path in source_tree.files(root, ["src"], source_tree.CPP):
        below = path.removeprefix("src/")
        text = source_tree.without_comments(source_tree.read(root, path))
        if unknown := unknown_place(below):
            breaches.append(Breach(path, 1, unknown))
            continue
        for match in INCLUDE.finditer(text):
            library, own = match.groups()
            wrong = library_include(below, library) if library else own_include(root, below, own)
            if wrong:
                breaches.append(Breach(path, source_tree.line_of(text, match.end()), wrong))
    return breaches


if __name__ == "__main__":
    sys.exit(source_tree.finish(check(sys.argv[1] if len(sys.argv) > 1 else ".")))
