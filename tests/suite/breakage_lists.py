"""What the lists of breakages share: one is (what it does, file, the text in it, what takes its place)."""

import argparse


class DoesNotCompile(Exception):
    """It proves nothing then."""


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def parser(doc, seeds):
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--seeds", type=int, default=seeds)
    made.add_argument("--only", default="", help="those whose name has this text")
    made.add_argument("--part", default="1/1", help="of so many parts of the list, as 2/3: those that run side by side")
    made.add_argument("--texts", action="store_true", help="only look whether the text that each replaces is there once")
    return made


def chosen(breakages, arguments):
    part, parts = map(int, arguments.part.split("/"))
    return [one for one in breakages if arguments.only in one[0]][part - 1::parts]


def missing_texts(breakages, path_of):
    """How many have nothing to break any more; each is told."""
    missing = 0
    for name, file, old, _ in breakages:
        count = read(path_of(file)).count(old)
        if count != 1:
            print(f"{name}: the text is there {count} times in {file}")
            missing += 1
    return missing
