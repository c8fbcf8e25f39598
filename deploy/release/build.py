"""What build.sh runs."""

import argparse
import glob
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import build_root
import dependencies
import image
import layer
import materials
from sources import ROOT, Sources, Wrong

SYSTEMS = {"12": "bookworm", "13": "trixie"}
OF_THE_IMAGE = "13"  # Its librdkafka logs in at Kafka 4 by SCRAM; that of 12 does not.
ARCHITECTURE = "amd64"  # What is tested, and what names of files say.
PARTS = ("deb12", "deb13", "image", "chart")
BUILD_S = 3600


def options():
    parser = argparse.ArgumentParser(prog="build.sh", description="Makes what a release consists of.")
    parser.add_argument("version", help="as 0.1.0, or 0.1.0~rc1 for what comes before it")
    parser.add_argument("--output", default=os.path.join(ROOT, "dist"), help="a folder; default: dist")
    parser.add_argument("--commit", default="HEAD", help="which sources; default: HEAD")
    parser.add_argument("--unclean", action="store_true", help="the sources as they lie here, to try a change")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone, or several; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the compiler")
    return parser.parse_args()


def package(sources, system, jobs, folder):
    """(the Debian package, those that an image of it takes, both as files in `folder`, what is compiled in as names and versions)."""
    root = build_root.BuildRoot(SYSTEMS[system], sources.of)
    try:
        shutil.copy(os.path.join(build_root.HERE, "package.sh"), root.path("root"))
        version = f"{sources.version}+deb{system}"
        root.run(f"SOURCE_DATE_EPOCH={sources.seconds} /root/package.sh {shlex.quote(version)} {jobs} 2>&1", BUILD_S)
        names = " ".join(f"'{name}'" for name in materials.HEADERS_ALONE)
        headers = root.run(f"dpkg-query -W -f='${{db:Status-Status}} ${{Package}} ${{Version}}\\n' {names} | sed -n 's/^installed //p'", 60)
        built = glob.glob(root.path("root/einlass/build/einlass_*.deb"))[0]
        return shutil.copy(built, folder), fetched(root, folder), [tuple(line.split()) for line in headers.splitlines()]
    finally:
        root.delete()


def fetched(root, folder):
    """The files of the packages that an image of it takes, as they are installed in the root."""
    with open(root.path("var/lib/dpkg/status")) as file:
        needed = dependencies.Installed(file.read()).needed_by("einlass", without=("ca-certificates",))
    root.run(f"mkdir libraries && cd libraries && apt-get -q download {' '.join(needed)} {' '.join(image.BESIDES)}", 300)
    libraries = tempfile.mkdtemp(dir=folder)
    return sorted(shutil.copy(path, libraries) for path in glob.glob(root.path("root/einlass/libraries/*.deb")))


def write_image(sources, built, folder):
    program, libraries, headers = built
    name = os.path.join(folder, f"einlass-{sources.as_chart}-image-{ARCHITECTURE}")
    labels = {"org.opencontainers.image.title": "einlass", "org.opencontainers.image.version": sources.version,
              "org.opencontainers.image.revision": sources.commit, "org.opencontainers.image.licenses": "Apache-2.0",
              "org.opencontainers.image.description": "A rate-limited bridge from Kafka to HTTP"}
    layers = [image.libraries_layer(libraries, sources.seconds), image.program_layer(program, sources.seconds)]
    image.write(f"{name}.tar", layers, f"einlass:{sources.as_chart}", labels, sources.seconds)
    with open(f"{name}.cdx.json", "w") as file:
        file.write(materials.bill(sources, OF_THE_IMAGE, [program, *libraries], headers))


def write_chart(sources, folder):
    """As `helm package` would, but the same every time."""
    chart = layer.Layer(sources.seconds)
    for name, data in sources.chart().items():
        if name == "Chart.yaml":
            data = data.replace(b"ersion: " + sources.number.encode(), b"ersion: " + sources.as_chart.encode())
        chart.add_file(f"einlass/{name}", data)
    with open(os.path.join(folder, f"einlass-{sources.as_chart}.tgz"), "wb") as file:
        file.write(chart.packed()[0])


def files_of(sources, folder):
    """What is there of this version, whichever parts were made when. Other versions and other files may lie beside it."""
    begins = (f"einlass_{sources.version}+deb", f"einlass-{sources.as_chart}-image-", f"einlass-{sources.as_chart}.tgz")
    return sorted(name for name in os.listdir(folder) if name.startswith(begins))


def write_notes(sources, folder):
    names = files_of(sources, folder)
    with open(os.path.join(folder, "RELEASE_NOTES.md"), "w") as file:
        file.write(f"# Einlass {sources.version}\n\n{sources.changes()}\n\n## Files\n\n")
        file.write("".join(f"- `{name}`\n" for name in names))
        file.write(f"\nBuilt from commit {sources.told()}. `sha256sum --check SHA256SUMS` compares the files.\n")


def write_sums(sources, folder):
    lines = []
    for name in sorted([*files_of(sources, folder), "RELEASE_NOTES.md"]):
        with open(os.path.join(folder, name), "rb") as file:
            lines.append(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w") as file:
        file.write("".join(lines))


def make(asked, sources, scratch, folder):
    """All that is asked for, in `folder`."""
    parts = asked.only or PARTS
    for system, release in SYSTEMS.items():
        with_image = system == OF_THE_IMAGE and "image" in parts
        if f"deb{system}" not in parts and not with_image:
            continue
        print(f"Building in a fresh {release}...", flush=True)
        built = package(sources, system, asked.jobs, scratch)
        if f"deb{system}" in parts:
            shutil.copy(built[0], folder)
        if with_image:
            write_image(sources, built, folder)
    if "chart" in parts:
        write_chart(sources, folder)


def main():
    asked = options()
    if os.geteuid() != 0:
        raise Wrong("this needs root, for file systems of Debian")
    here = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    if here != ARCHITECTURE:
        raise Wrong(f"this makes a release for {ARCHITECTURE}, and this system is for {here}")
    sources = Sources(asked.version, asked.commit, asked.unclean)
    with tempfile.TemporaryDirectory(prefix="einlass-release-") as scratch:
        folder = os.path.join(scratch, "made")
        os.mkdir(folder)
        make(asked, sources, scratch, folder)
        os.makedirs(asked.output, exist_ok=True)
        for name in sorted(os.listdir(folder)):
            print(shutil.copy(os.path.join(folder, name), asked.output))
        write_notes(sources, asked.output)
        write_sums(sources, asked.output)


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        sys.exit(f"build.sh: {wrong}")
