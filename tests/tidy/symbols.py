#!/usr/bin/env python3
"""The core and the limits ask nothing of the world:   symbols.py ARCHIVE...

Looks at what the archives need from outside (nm): memory, and the standard library's pure parts. A
clock, file, socket, thread or stream shows here however it came in.
"""

import re
import subprocess
import sys

# Demangled names that pure code may need.
ALLOWED = re.compile(r"""
    operator\ (?:new|delete)(?:\[\])?\(.*
  | (?:mem|str)(?:cpy|move|set|cmp|chr|len|ncmp|rchr)(?:_chk)? | __(?:mem|str)\w+_chk | bcmp
  | abort | stderr | fprintf | __fprintf_chk | fwrite              # CHECK's last words.
  | std::__throw_\w+\(.*
  | std::__glibcxx_assert_fail\(.*
  | std::__cxx11::basic_string<char,.*  | std::basic_string_view<char.*
  | std::allocator<char>::.*
  | std::_Rb_tree_\w+\(.*
  | std::__detail::_List_node_base::\w+\(.*
  | std::bad_\w+::.* | (?:vtable|typeinfo)\ for\ std::bad_\w+
  | std::terminate\(\) | __cxa_\w+ | __gxx_personality_v0 | __stack_chk_fail | __dso_handle
  | __(?:u?div|u?mod|mul|u?divmod|mulo)[dt]i[34]                   # 128-bit arithmetic.
  | _GLOBAL_OFFSET_TABLE_
  | __(?:asan|ubsan|tsan|sanitizer|sancov|gcov)_\w+ | _Unwind_Resume  # Instrumented builds.
""", re.VERBOSE)


def nm(archive: str, *options: str) -> list[str]:
    output = subprocess.run(["nm", *options, archive], capture_output=True, text=True, check=True)
    return output.stdout.splitlines()


def defined(archive: str) -> set[str]:
    """Mangled names that the archive has itself."""
    lines = (line.split() for line in nm(archive, "--defined-only", "--format=posix"))
    return {fields[0] for fields in lines if len(fields) >= 2}


def demangled(names: list[str]) -> list[str]:
    output = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                            check=True)
    return output.stdout.splitlines()


def check(archive: str) -> list[str]:
    own = defined(archive)
    wanted: dict[str, str] = {}  # Mangled name: the first object that needs it.
    member = archive
    for line in nm(archive, "--undefined-only", "--format=posix"):
        if line.endswith(":"):
            member = line.rstrip(":")
        elif line.strip() and line.split()[0] not in own:
            wanted.setdefault(line.split()[0], member)
    names = sorted(wanted)
    return [f"{wanted[name]}:1: needs {plain}; the core is pure: take it as an argument or an event"
            for name, plain in zip(names, demangled(names)) if not ALLOWED.fullmatch(plain)]


def main(archives: list[str]) -> int:
    if not archives:
        print("usage: symbols.py ARCHIVE...", file=sys.stderr)
        return 64
    breaches = [breach for archive in archives for breach in check(archive)]
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
