#!/usr/bin/env python3
"""The Kafka adapter's tests, and scenarios on Kafka 3.9 and 4.1, with a newer librdkafka than the installed one.

    newest_librdkafka.py 2.8.0 | 2.15.1 | 2.16.0

2.8.0 is that of Debian 13. 2.16.0 is the newest release, as Confluent builds it for its Python package. 2.15.1 is the newest
whose source a package has (Confluent's for JavaScript); both that and 2.8.0 are built here from such a package, with Debian's
OpenSSL, SASL, zlib, zstd and lz4. Each is kept in build/.

The programs are those that were built with the installed one: librdkafka keeps its ABI, and the loader finds the newer one
first. That each gate runs with it is judged by what its /metrics say (tests/e2e/harness/gate.py).
"""

import concurrent.futures
import ctypes
import glob
import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "release")
LIBRARY = "librdkafka.so.1"
FEATURES = {"gzip", "lz4", "snappy", "zstd", "ssl", "sasl", "sasl_plain", "sasl_scram", "sasl_oauthbearer"}
SHARDS = 4  # Of the adapter's tests, which wait more than they work.
PATIENCE_S = 900  # For each part.
KAFKAS = ("3.9.1", "4.1.1")
# Each on both Kafkas. One at a time: several judge a rate, or a moment.
SCENARIOS = (
    ("limits", "Limits.test_five_kills"),
    ("leaving", "Leaving.test_sigterm_in_order"),
    ("rolling_restart", "RollingRestart.test_in_order"),
    ("exactly_once", "ExactlyOnce.test_killed_in_the_middle"),
    ("kafka_target", "Limited.test_killed_in_the_middle"),
    ("kafka_target", "Records"),
    ("dead_letters", "DeadLetters.test_a_topic_that_is_not_there"),
    ("dead_letters", "DeadLetters.test_a_topic_that_takes_only_smaller_records"),
    ("kafka_secured", "Logins"),
    ("kafka_oauth", "Tokens.test_renewed_before_they_expire"),
)

# Those that are about who has which partition once more with an assignment that older ones lose partitions with; with these the
# gate refuses it.
LOSE_PARTITIONS = ("2.8.0",)
COOPERATIVE = (
    ("limits", "Limits.test_five_kills"),
    ("leaving", "Leaving.test_sigterm_in_order"),
    ("rolling_restart", "RollingRestart.test_in_order"),
)


def run(*words, **options):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def checked(pattern, digest):
    """The one file that was fetched, if it is what it was when it was chosen."""
    [path] = glob.glob(pattern)
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != digest:
        raise SystemExit(f"{path}: its SHA-256 is {found}, not {digest}")
    return path


def build_from_source(place, package, digest):
    run("npm", "pack", "--silent", f"@confluentinc/kafka-javascript@{package}", cwd=place)
    package = checked(f"{place}/*.tgz", digest)
    with tarfile.open(package) as packed:
        packed.extractall(place)
    source = f"{place}/package/deps/librdkafka"
    run("./configure", "--no-download", "--disable-curl",
        *(f"--enable-{one}" for one in ("zlib", "zstd", "ssl", "gssapi", "lz4-ext")), cwd=source)
    run("make", "-C", f"{source}/src", f"-j{os.cpu_count()}", LIBRARY)
    return f"{source}/src/{LIBRARY}"


def take_prebuilt(place):
    # The one package for whichever Python is here: its library has nothing to do with Python.
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--implementation", "cp",
        "--python-version", "3.11", "--abi", "cp311", "--platform", "manylinux_2_28_x86_64", "--dest", place,
        "confluent-kafka==2.16.1")
    package = checked(f"{place}/*.whl", "24f613cc81a856b6fbb2d7d11044a9aa770044eecc1f83ff84618688b056be06")
    with zipfile.ZipFile(package) as packed:
        packed.extractall(place)
    [library] = glob.glob(f"{place}/confluent_kafka.libs/librdkafka-*.so.1")
    return library


LIBRARIES = {
    "2.8.0": lambda place: build_from_source(place, "1.2.0", "95cfe0af1e091138eda6e529bb25fd4c894c1c91f98fc03efa925a74d9937b7a"),
    "2.15.1": lambda place: build_from_source(place, "1.10.1", "ada7d703bb1d3237e2292bfabf438d663b6160c9f1ac2a2406b5dc4257c81b66"),
    "2.16.0": take_prebuilt}


def fetch(version):
    """The folder that has that library and no other."""
    place = os.path.join(ROOT, "build", f"librdkafka-{version}")
    folder = os.path.join(place, "library")
    if not os.path.exists(f"{folder}/{LIBRARY}"):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(folder)
        shutil.copy(LIBRARIES[version](place), f"{folder}/{LIBRARY}")
    judge(f"{folder}/{LIBRARY}", version)
    return folder


def judge(path, version):
    """It is of that version, and has been built with all that the tests need."""
    library = ctypes.CDLL(path)
    library.rd_kafka_version_str.restype = ctypes.c_char_p
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    said = library.rd_kafka_version_str().decode()
    text, size = ctypes.create_string_buffer(1000), ctypes.c_size_t(1000)
    library.rd_kafka_conf_get(ctypes.c_void_p(library.rd_kafka_conf_new()), b"builtin.features", text, ctypes.byref(size))
    features = text.value.decode().split(",")
    if said != version or not FEATURES <= set(features):
        raise SystemExit(f"{path}: librdkafka {said} with {' '.join(features)}, not {version} with {' '.join(sorted(FEATURES))}")
    print(f"librdkafka {said} with {' '.join(features)}", flush=True)


def parts():
    """[(name, command, environment)]: the adapter's tests."""
    return [(f"adapters_kafka {shard + 1} of {SHARDS}", [f"{BUILD}/tests/adapters_kafka", "--gtest_brief=1"],
             {"GTEST_TOTAL_SHARDS": str(SHARDS), "GTEST_SHARD_INDEX": str(shard)}) for shard in range(SHARDS)]


def scenarios(version):
    cooperative = () if version in LOSE_PARTITIONS else COOPERATIVE
    for assignment, those in (("", SCENARIOS), ("cooperative-sticky", cooperative)):
        for (file, test), kafka in itertools.product(those, KAFKAS):
            yield (f"{file} {test} on Kafka {kafka} {assignment}".rstrip(), [sys.executable, f"{ROOT}/tests/e2e/{file}_test.py", test],
                   {"KAFKA_VERSION": kafka, "EINLASS_ASSIGNMENT": assignment})


def passes(part, common):
    name, command, own = part
    began = time.monotonic()
    try:
        done = subprocess.run(command, cwd=BUILD, env={**common, **own}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=PATIENCE_S)
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, said = None, (late.stdout or b"").decode(errors="replace")
    # A test that cannot run here says so by a code of its own, which is no pass either.
    print(f"{'passed' if code == 0 else 'FAILED'}  {name}  {time.monotonic() - began:.0f} s", flush=True)
    if code != 0:
        print(f"ended with {code}:\n{said[-20_000:]}", flush=True)
    return code == 0


def test(version):
    folder = fetch(version)
    environment = {**os.environ, "LD_LIBRARY_PATH": folder, "EINLASS_BUILD": BUILD, "EINLASS_LIBRDKAFKA": version}
    for program in ("einlass", "tests/adapters_kafka", "tests/tools/kafka_tool"):
        found = run("ldd", f"{BUILD}/{program}", env=environment)
        if f"{folder}/{LIBRARY}" not in found:
            raise SystemExit(f"{program} would not run with {folder}/{LIBRARY}:\n{found}")
    with concurrent.futures.ThreadPoolExecutor(SHARDS) as pool:
        passed = list(pool.map(lambda part: passes(part, environment), parts()))
    passed += [passes(part, environment) for part in scenarios(version)]
    print(f"{passed.count(True)} of {len(passed)} passed with librdkafka {version}")
    return all(passed)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LIBRARIES:
        sys.exit(f"usage: newest_librdkafka.py {' | '.join(LIBRARIES)}")
    sys.exit(0 if test(sys.argv[1]) else 1)
