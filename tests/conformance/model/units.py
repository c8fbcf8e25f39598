"""Durations and rates as they stand in a config: `250ms`, `1/3s`."""

import math
import re

_MICROS = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}


def duration(text):
    """Whole microseconds."""
    number, unit = re.fullmatch(r"(\d+)(us|ms|s|m|h|d)", str(text)).groups()
    return int(number) * _MICROS[unit]


def rate(text):
    """(P, Q): P permits in Q microseconds, reduced."""
    permits, number, unit = re.fullmatch(r"(\d+)/(\d*)(us|ms|s|m|h|d)", str(text)).groups()
    permits, micros = int(permits), int(number or 1) * _MICROS[unit]
    divisor = math.gcd(permits, micros)
    return permits // divisor, micros // divisor


def ceil_div(a, b):
    return -(-a // b)
