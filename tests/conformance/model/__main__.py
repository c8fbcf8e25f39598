"""python3 -m model LIMITS.json NAMES < trace.jsonl: the answers of the model, one a line.

LIMITS.json holds {name: options}; NAMES are the limits of every ask, joined by commas.
"""

import json
import sys

from .limiter import Limiter


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        limits = json.load(file)
    limiter = Limiter(limits, sys.argv[2].split(","))
    for line in sys.stdin:
        print(json.dumps(limiter.answer(json.loads(line))))


if __name__ == "__main__":
    main()
