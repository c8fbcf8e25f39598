"""Kafka's jars from Maven Central, fetched once and kept in $XDG_CACHE_HOME/einlass (~/.cache/einlass)."""

import fcntl
import glob
import os
import shutil
import subprocess
import sys
import tempfile

_LOGGERS = {
    "3": ("org.slf4j", "slf4j-reload4j", "1.7.36"),
    "4": ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3"),
}
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>einlass</groupId><artifactId>local-kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>{kafka}
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{logger}</version></dependency>
  </dependencies>
</project>
"""
_KAFKA = """
    <dependency><groupId>org.apache.kafka</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>"""


def cache_directory():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(base, "einlass")
    os.makedirs(path, exist_ok=True)
    return path


class Locked:
    """One process at a time, whatever becomes of it."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        self._file = open(self._path, "w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self._file.close()


def fetch(version, tools=False):
    """The folder with that version's jars, with those of its command line tools or without; fetched once, then from
    the cache."""
    cache = cache_directory()
    home = os.path.join(cache, f"kafka-{version}" + ("-tools" if tools else ""))
    if os.path.isdir(home):
        return home
    with Locked(home + ".lock"):
        if os.path.isdir(home):
            return home
        print(f"fetching Kafka {version} from Maven Central", file=sys.stderr, flush=True)
        scratch = tempfile.mkdtemp(prefix=f"kafka-{version}-", dir=cache)
        try:
            group, artifact, logger = _LOGGERS[version[0]]
            kafka = "".join(_KAFKA.format(artifact=part, version=version)
                            for part in ("kafka_2.13", *(["kafka-tools"] if tools else [])))
            with open(os.path.join(scratch, "pom.xml"), "w") as pom:
                pom.write(_POM.format(kafka=kafka, group=group, artifact=artifact, logger=logger))
            maven = subprocess.run(["mvn", "-B", "-q", "dependency:copy-dependencies",
                                    "-DincludeScope=runtime", f"-DoutputDirectory={scratch}"],
                                   cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if maven.returncode:
                raise RuntimeError(f"mvn could not fetch Kafka {version}:\n{maven.stdout[-2000:]}")
            os.rename(scratch, home)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    return home


def compile_against(version, source, directory):
    """Compiles one file of Java against that version's jars; the classes are then in `directory`. A JRE is enough."""
    jars = ":".join(glob.glob(os.path.join(fetch(version), "*.jar")))
    done = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn",
                           "-cp", jars, "-d", directory, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{source} does not compile:\n{done.stdout[-2000:]}")
