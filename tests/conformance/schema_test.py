#!/usr/bin/env python3
"""The JSON Schema and the gate judge the same files alike: what the gate takes the schema takes, and of what the gate
refuses the schema refuses all that a single place shows.

    schema_test.py --einlass BINARY
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# What only the gate can see: what stands in the environment and on disk, what goes together with what, and (with this
# reader, which takes YAML 1.1) a `yes`.
BEYOND = {
    "03-duplicate-key", "04-yes-for-a-bool", "05-broken-yaml", "06-second-document", "07-merge-key",
    "08-undefined-variable", "09-message-for-a-variable", "10-secret-file-missing", "11-secret-twice",
    "12-unknown-target", "13-unknown-limit", "14-topic-in-two-routes", "15-limit-never-met",
    "16-limits-in-two-stores", "17-attempts-without-dead-letter", "18-shards-and-places", "19-reserved-header",
    "21-parameters-of-another-algorithm", "22-two-costs-from-the-record", "23-spread-by-different-keys",
    "24-lease-shorter-than-attempts", "25-share-without-instances", "26-cluster-and-sentinel",
    "27-bad-key-without-dead-letter", "28-warm-up-with-burst", "32-half-a-login", "35-parts-that-nobody-has",
    "36-servers-and-proxies", "38-exactly-once", "39-admin-token-and-tls",
}


class Wrong(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def accepted_by_gate(einlass, path):
    secrets = {"EINLASS_ADMIN_TOKEN": "a-token-of-the-test"}
    # Not check, which also tries the files of certificates, and nobody has those here.
    return subprocess.run([einlass, "print-config", "-c", path], capture_output=True,
                          env={**os.environ, **secrets}).returncode == 0


def mistakes(validator, text):
    """What the schema says of a file; None if it is no YAML at all."""
    try:
        return [error.message for error in validator.iter_errors(yaml.safe_load(text))]
    except yaml.YAMLError:
        return None


def examples():
    """Whole configurations: files, and those in the pages."""
    for path in sorted(glob.glob(os.path.join(ROOT, "config", "*.yaml"))):
        yield path, read(path)
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)) + [os.path.join(ROOT, "README.md")]:
        for example in re.findall(r"```yaml\n(.*?)```", read(path), re.DOTALL):
            if re.search(r"^routes:", example, re.MULTILINE) and re.search(r"^targets:", example, re.MULTILINE):
                yield path, example


def check_examples(einlass, validator):
    count = 0
    for path, text in examples():
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            taken = accepted_by_gate(einlass, file.name)
        said = mistakes(validator, text)
        if taken and said:
            raise Wrong(f"{path}: the gate takes it, the schema says: {'; '.join(said)}")
        count += taken
    if count < 10:
        raise Wrong(f"only {count} examples were there to be taken")


# Seldom written, and taken.
ODD = ["limits:", "shares:", "redis:", "kafka: {properties: }", "drain_timeout: 0", "drain_timeout: \"0\"",
       "drain_timeout: 1.5s"]


def check_odd(einlass, validator):
    for text in ODD:
        text += "\ntargets: {t: {http: {url: http://h/}}}\nroutes: [{name: r, topics: [a], target: t}]\n"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            taken = accepted_by_gate(einlass, file.name)
        said = mistakes(validator, text)
        if not taken or said:
            raise Wrong(f"{text}: the gate takes it: {taken}; the schema says: {said}")


def check_wrong(validator):
    seen = set()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "e2e", "wrong_configs", "*.yaml"))):
        name = os.path.basename(path)[:-len(".yaml")]
        seen.add(name)
        said = mistakes(validator, read(path))
        if bool(said) == (name in BEYOND):
            raise Wrong(f"{name}: the schema says {said}")
    if BEYOND - seen:
        raise Wrong(f"there is no {', '.join(sorted(BEYOND - seen))} in tests/e2e/wrong_configs")
    if len(seen) == len(BEYOND):
        raise Wrong("no file was there that the schema has to refuse")


def check_single_changes(validator):
    """Each option with a value of a wrong kind, one at a time: the schema sees all of them."""
    good = yaml.safe_load(read(os.path.join(ROOT, "config", "everything.yaml")))
    seen = 0

    def change(node, where):
        nonlocal seen
        for name, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            node[name] = [["a list in a list"]] if not isinstance(value, list) else {"no": {"such": "list"}}
            if not mistakes(validator, yaml.safe_dump(good)):
                raise Wrong(f"{where}.{name}: anything will do")
            seen += 1
            node[name] = value
            if isinstance(value, (dict, list)):
                change(value, f"{where}.{name}")
        if isinstance(node, dict) and where.count(".") < 3 and not where.endswith((".headers", ".properties", "limits", "targets")):
            node["no_such_option"] = 1
            if not mistakes(validator, yaml.safe_dump(good)):
                raise Wrong(f"{where}: an unknown option will do")
            del node["no_such_option"]

    change(good, "")
    if seen < 100:
        raise Wrong(f"only {seen} values were changed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--einlass", required=True)
    einlass = parser.parse_args().einlass
    text = subprocess.run([einlass, "print-schema"], capture_output=True, text=True, check=True).stdout
    schema = json.loads(text)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    try:
        if read(os.path.join(ROOT, "config", "schema.json")) != text:
            raise Wrong("config/schema.json is old; write it with: einlass print-schema > config/schema.json")
        check_examples(einlass, validator)
        check_odd(einlass, validator)
        check_wrong(validator)
        check_single_changes(validator)
    except Wrong as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
