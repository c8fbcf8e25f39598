"""What an image is made of, as CycloneDX says it: each Debian package in it, and the libraries of headers alone that are compiled
into the program."""

import json
import re
import time
import urllib.parse
import uuid

import image

# Debian's packages of libraries that leave nothing behind but what the compiler made of them.
HEADERS_ALONE = ("libboost*-dev", "libcli11-dev", "nlohmann-json3-dev")
_OF_THE_PAGE = re.compile(r"^uPlot (\d[\d.]*\d)", re.MULTILINE)  # web/uplot/README.md names it.
_SPACE = uuid.UUID("6f2d2d0c-8f4e-5d2a-9a86-3f1f8a0a5f6b")  # Ours: names of bills are made in it.


def bill(sources, system, packages, headers):
    """As text. `packages` are files; `headers` pairs of name and version; `system` as "12"."""
    page = _OF_THE_PAGE.search(sources.text("web/uplot/README.md"))[1]
    inside = [_part(name, number, _of_debian(name, number, system)) for name, number in headers]
    inside.append(_part("uplot", page, f"pkg:npm/uplot@{page}"))
    for part in inside:
        part["properties"] = [{"name": "einlass:linked", "value": "compiled into einlass"}]
    found = [(image.control(path, "Package"), image.control(path, "Version")) for path in packages]
    parts = [_part(name, number, _of_debian(name, number, system)) for name, number in found]
    parts = sorted(parts + inside, key=lambda part: part["bom-ref"])
    told = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(sources.seconds)),
            "component": {"type": "container", "bom-ref": "einlass", "name": "einlass", "version": sources.version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}],
                          "properties": [{"name": "einlass:commit", "value": sources.told()}]}},
        "components": parts,
        "dependencies": [{"ref": "einlass", "dependsOn": [part["bom-ref"] for part in parts]}]}
    told["serialNumber"] = f"urn:uuid:{uuid.uuid5(_SPACE, json.dumps(told, sort_keys=True))}"
    return json.dumps(told, indent=1, sort_keys=True) + "\n"


def _part(name, version, where):
    return {"type": "library", "bom-ref": where, "purl": where, "name": name, "version": version}


def _of_debian(name, version, system):
    return f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='~')}?arch=amd64&distro=debian-{system}"
