#!/usr/bin/env python3
"""Each check sees a planted breach, says where it is, and is content without it.

    self_test.py [CLASS...]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import layers

HERE = os.path.dirname(os.path.abspath(__file__))


class Planted(unittest.TestCase):
    """A tree of its own for each test."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="tidy_")
        self.addCleanup(shutil.rmtree, self.root)

    def plant(self, path: str, text: str) -> str:
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return full

    def run_check(self, *command: str) -> tuple[int, str]:
        result = subprocess.run([os.path.join(HERE, command[0]), *command[1:]], cwd=self.root,
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def assert_content(self, *command: str):
        code, said = self.run_check(*command)
        self.assertEqual(code, 0, said)

    def assert_finds(self, what: str, *command: str):
        code, said = self.run_check(*command)
        self.assertEqual(code, 1, said)
        self.assertIn(what, said)


class Layers(Planted):
    def setUp(self):
        super().setUp()
        for path in ("units/time.h", "text/ascii.h", "core/gate/gate.h", "limits/contract/limit.h", "config/model/config.h",
                     "adapters/http/target/target.h", "adapters/http/wire/stream.h", "adapters/redis/store/store.h",
                     "app/run.h", "app/setup/wiring.h", "app/pages/admin.h", "app/demo/demo.h"):
            self.plant(f"src/{path}", "#pragma once\n")

    def test_downwards_is_fine(self):
        self.plant("src/main.cc", '#include "app/run.h"\n')
        self.plant("src/app/verbs.h", '#pragma once\n#include <CLI/CLI.hpp>\n')
        self.plant("src/app/run.cc", '#include "adapters/http/target/target.h"\n#include "app/pages/admin.h"\n')
        self.plant("src/app/pages/admin.cc", '#include "app/setup/wiring.h"\n#include "app/pages/admin.h"\n'
                   '#include "core/gate/gate.h"\n')
        self.plant("src/adapters/http/target/target.cc", '#include <boost/asio.hpp>\n#include <sys/uio.h>\n'
                   '#include "adapters/http/wire/stream.h"\n#include "limits/contract/limit.h"\n// #include "config/model/config.h"\n')
        self.plant("src/core/gate/gate.cc", '#include <vector>\n#include "units/time.h"\n')
        self.assert_content("layers.py")

    def test_upwards_and_sideways(self):
        for path, include, words in (
                ("core/contract/a.cc", '"limits/contract/limit.h"', "core may not include limits"),
                ("limits/rates/a.cc", '"core/gate/gate.h"', "limits may not include core"),
                ("units/a.h", '"core/gate/gate.h"', "units may not include core"),
                ("limits/rates/a.cc", '"text/ascii.h"', "limits may not include text"),
                ("config/file/a.cc", '"app/run.h"', "config may not include app"),
                ("adapters/http/wire/a.cc", '"config/model/config.h"', "may not include config"),
                ("adapters/http/wire/a.cc", '"adapters/redis/store/store.h"', "not include adapters/redis"),
                ("main.cc", '"adapters/http/target/target.h"', "main may not include adapters/http"),
                ("core/gate/a.cc", '"gate.h"', "is not below src")):
            with self.subTest(include=include, path=path):
                planted = self.plant(f"src/{path}", f"\n#include {include}\n")
                self.assert_finds(f"src/{path}:2: ", "layers.py")
                self.assert_finds(words, "layers.py")
                os.remove(planted)

    def test_from_room_to_room(self):
        for path, include, words in (
                ("app/process/a.cc", "app/pages/admin.h", "app/process may not include app/pages, only none"),
                ("app/pages/a.cc", "app/demo/demo.h", "app/pages may not include app/demo, only setup, steering, views, service, status"),
                ("core/contract/a.cc", "core/gate/gate.h", "core/contract may not include core/gate, only containers"),
                ("config/text/a.cc", "config/model/config.h", "config/text may not include config/model, only none"),
                ("app/pages/a.cc", "app/run.h", "app/pages may not include what lies in app itself, only"),
                ("adapters/http/wire/a.h", "adapters/http/target/target.h", "may not include adapters/http/target")):
            with self.subTest(include=include, path=path):
                planted = self.plant(f"src/{path}", f'\n#include "{include}"\n')
                self.assert_finds(f"src/{path}:2: ", "layers.py")
                self.assert_finds(words, "layers.py")
                os.remove(planted)

    def test_a_place_without_a_rule(self):
        for path, words in (
                ("cellar/a.h", "does not know src/cellar"),
                ("app/cellar/a.h", "does not know the room src/app/cellar"),
                ("core/a.h", "src/core has rooms: containers, "),
                ("adapters/http/a.h", "src/adapters/http has rooms: wire, ")):
            with self.subTest(path=path):
                planted = self.plant(f"src/{path}", "#pragma once\n")
                self.assert_finds(f"src/{path}:1: ", "layers.py")
                self.assert_finds(words, "layers.py")
                os.remove(planted)

    def test_no_rule_makes_a_circle(self):
        self.assertEqual(layers.backwards({"below": "", "above": "below"}), [])
        self.assertEqual(layers.backwards({"below": "above", "above": "below"}), ["below"])
        self.assertEqual(layers.backwards({"self": "self"}), ["self"])

    def test_libraries(self):
        for path, include in (
                ("core/contract/a.cc", "<chrono>"), ("core/contract/a.cc", "<unordered_map>"),
                ("limits/rates/a.cc", "<cstdio>"), ("limits/fleet/a.cc", "<functional>"),
                ("core/contract/a.cc", "<boost/intrusive/list.hpp>"), ("core/contract/a.cc", "<sys/time.h>"),
                ("units/a.h", "<time.h>"), ("app/a.cc", "<librdkafka/rdkafka.h>"),
                ("adapters/http/wire/a.cc", "<hiredis/read.h>"), ("adapters/redis/store/a.cc", "<hiredis/read.h>"),
                ("app/a.cc", "<spdlog/spdlog.h>"),
                ("adapters/kafka/source/a.cc", "<prometheus/counter.h>"), ("app/a.cc", "<yaml-cpp/yaml.h>"),
                ("app/permits/a.cc", "<cctz/time_zone.h>"), ("config/file/a.cc", "<yaml-cpp/yaml.h>"),
                ("adapters/kafka/source/a.cc", "<nlohmann/json.hpp>"), ("app/a.cc", "<openssl/ssl.h>"),
                ("adapters/http/wire/a.cc", "<simdjson.h>"), ("app/targets/a.cc", "<simdjson.h>"),
                ("adapters/http/wire/a.cc", "<nghttp2/nghttp2.h>"), ("config/file/a.cc", "<CLI/CLI.hpp>"),
                ("app/a.cc", "<unheard/of.h>")):
            with self.subTest(include=include, path=path):
                planted = self.plant(f"src/{path}", f"#include {include}\n")
                self.assert_finds(f"src/{path}:1: ", "layers.py")
                os.remove(planted)


class Names(Planted):
    def test_good_names(self):
        self.plant("src/core/line.h", "struct Line {};\nenum class Order { none };  // a manager\n")
        self.plant("src/app/loop.cc", "void f() {\n  // A bad plug-in may throw anything.\n"
                   "  try { g(); } catch (...) {}\n}\n")
        self.assert_content("names.py")

    def test_empty_words(self):
        for path, text, words in (
                ("src/core/string_utils.h", "", "string_utils.h:1: "),
                ("src/core/Helpers.cc", "", "Helpers.cc:1: "),
                ("tests/unit/common.h", "", "common.h:1: "),
                ("src/a.h", "\nclass QueueManager {};\n", "src/a.h:2: type QueueManager"),
                ("src/a.h", "struct HTTPHandler;\n", "src/a.h:1: type HTTPHandler"),
                ("src/a.h", "enum class MiscKinds { a };\n", "src/a.h:1: type MiscKinds")):
            with self.subTest(path=path, text=text):
                planted = self.plant(path, text)
                self.assert_finds(words, "names.py")
                os.remove(planted)

    def test_banned_text(self):
        for path, text in (
                ("src/a.cc", "\n// TO" "DO: later\n"), ("tests/a.py", "\n# FIX" "ME\n"),
                ("deploy/a.sh", "\n# XX" "X\n"), ("src/a.cc", "\nstd::this_thread::sleep" "_for(1s);\n"),
                ("src/a.cc", '\nauto path = "/t' 'mp/a";\n'),
                ("src/a.cc", "\nreturn std::hash" "<std::string>{}(key);\n"),
                ("src/a.h", "\nstd::unordered_map<std::string, int> places_;\n"),
                ("src/a.h", "\nstd::unordered_multimap<std::string_view,std::vector<int>> places_;\n"),
                ("src/a.cc", "\ntry { f(); } catch (...) { g(); }\n")):
            with self.subTest(path=path, text=text):
                planted = self.plant(path, text)
                self.assert_finds(f"{path}:2: ", "names.py")
                os.remove(planted)


LINES_68 = "  g();\n" * 68


class FunctionLength(Planted):
    def test_seventy_lines_are_fine(self):
        self.plant("src/a.cc", "namespace n {\nvoid f() {\n" + LINES_68 + "}\n"
                   "struct S {\n" + "  int x;\n" * 80 + "};\n}\n")
        self.assert_content("function_length.py")

    def test_one_line_more(self):
        body = LINES_68 + "  g();\n}\n"
        for head, line in (
                ("namespace n {\n", 2), ("namespace {\nclass C final : public B {\n public:\n", 4),
                ("template <class T, int N = (3 > 2)>\nstruct S {\n", 3),
                ('#define X {\nconst char* kOdd = R"({{{)"; // }}\nconst int kNumber = 1\'000;\n', 4),
                ("const std::array<int, 2> kPair = {\n1, 2};\n", 3),
                ("enum class E { a, b };\nstruct P {\nint a{};\nstd::array<int, 2> b = {1, 2};\n", 5)):
            for function in ("void f() {\n", "auto C::f(int a = {}) const noexcept -> int {\n",
                             "C::C(int a) : a_{a}, b_(3), c_{} {\n", "TEST_F(Suite, Name) {\n",
                             "bool operator==(const A& a, const B& b) {\n",
                             "const auto f = [](int a) {\n"):
                with self.subTest(head=head, function=function):
                    self.plant("src/a.cc", head + function + body + "}" * head.count("{\n"))
                    self.assert_finds(f"src/a.cc:{line}: a function of 71 lines",
                                      "function_length.py")

    def test_python_and_long_files(self):
        self.plant("tests/a.py", "\ndef f():\n" + "    g()\n" * 70)
        self.assert_finds("tests/a.py:2: a function of 71 lines", "function_length.py")
        self.plant("tests/a.py", "x = 1\n" * 401)
        self.assert_finds("tests/a.py:400: 401 lines", "function_length.py")

    def test_says_what_it_cannot_read(self):
        self.plant("src/a.cc", "void f() {\n")
        self.assert_finds("src/a.cc:1: cannot be read", "function_length.py")


class Symbols(Planted):
    def archive(self, text: str) -> str:
        self.plant("a.cc", text)
        for command in ("c++ -std=c++20 -O1 -c a.cc -o a.o", "ar rcs liba.a a.o"):
            subprocess.run(command.split(), cwd=self.root, check=True)
        return "liba.a"

    def test_pure_code(self):
        self.assert_content("symbols.py", self.archive(
            "#include <map>\n#include <string>\n#include <vector>\n#include <cstdio>\n"
            "#include <cstdlib>\nstd::map<int, std::string> m;\nstd::vector<int> v;\n"
            "void f(int i) { v.push_back(i); m[i] = std::string(100, 'x');\n"
            '  if (i > 3) { std::fprintf(stderr, "%d", i); std::abort(); } }\n'))

    def test_the_world(self):
        for needs, text in (
                ("std::chrono::_V2::steady_clock::now()", "#include <chrono>\n"
                 "auto f() { return std::chrono::steady_clock::now(); }\n"),
                ("pthread_mutex_lock", "#include <mutex>\nstd::mutex m;\nvoid f() { m.lock(); }\n"),
                ("fopen", '#include <cstdio>\nauto f() { return fopen("a", "r"); }\n'),
                ("socket", "#include <sys/socket.h>\nint f() { return socket(1, 1, 0); }\n"),
                ("random_device", "#include <random>\nstd::random_device d;\n")):
            with self.subTest(needs=needs):
                self.assert_finds(needs, "symbols.py", self.archive(text))


class Headers(Planted):
    def compile_all(self):
        command = f"c++ -std=c++20 -I{self.root}/src -c a.cc"
        entry = {"directory": self.root, "command": command,
                 "file": os.path.join(self.root, "src/core/a.cc")}
        self.plant("build/compile_commands.json", json.dumps([entry]))
        return ("headers.py", self.root, os.path.join(self.root, "build"))

    def test_alone_and_not(self):
        check = self.compile_all()
        self.plant("src/core/a.h", "#pragma once\n#include <string>\nstruct A { std::string s; };\n")
        self.plant("src/core/b.h", '#pragma once\n#include "core/a.h"\nstruct B { A a; };\n')
        self.assert_content(*check)
        self.plant("src/core/a.h", "#pragma once\nstruct A { std::string s; };\n")
        self.assert_finds("src/core/a.h:1: does not compile alone", *check)
        self.assert_finds("src/core/b.h:1: does not compile alone", *check)

    def test_sources_that_are_compiled_together_prove_nothing(self):
        self.plant("src/core/a.h", "#pragma once\n#include <string>\n")
        self.plant("src/core/b.h", "#pragma once\nstruct B { std::string s; };\n")
        together = [self.plant(f"src/core/{name}.cc", f'#include "core/{name}.h"\n') for name in "ab"]
        unity = self.plant("build/Unity/ab.cxx", "".join(f'#include "{one}"\n' for one in together))
        entry = {"directory": self.root, "command": "c++ -std=c++20 -DOURS -c ab.cxx", "file": unity}
        self.plant("build/compile_commands.json", json.dumps([entry]))
        check = ("headers.py", self.root, os.path.join(self.root, "build"))
        self.assert_finds("src/core/b.h:1: does not compile alone", *check)
        self.plant("src/core/b.h", "#pragma once\n#ifndef OURS\n#error their flags\n#endif\n")
        self.assert_content(*check)

    def test_remembers_only_what_passed(self):
        check = self.compile_all()
        self.plant("src/core/a.h", "#pragma once\nint f(\n")
        self.assert_finds("src/core/a.h:1: ", *check)
        self.assert_finds("src/core/a.h:1: ", *check)
        self.plant("src/core/a.h", "#pragma once\nint f();\n")
        self.assert_content(*check)
        with open(os.path.join(self.root, "build/headers_passed.json"), encoding="utf-8") as file:
            self.assertEqual(list(json.load(file)), ["src/core/a.h"])


class LuaGlobals(Planted):
    LUAC = shutil.which("luac5.1") or "luac"

    def test_locals_are_fine(self):
        self.plant("lua/a.lua", "local function f(x) return tonumber(x) end\n"
                   "return f(redis.call('GET', KEYS[1]))\n")
        self.assert_content("lua_globals.py", self.LUAC)

    def test_files_are_joined(self):
        self.plant("lua/a.lua", "local first, second = 1, 2\nlocal function both() end\n")
        self.plant("lua/b.lua", "if first then\n  local inner = second\n  both()\nend\n")
        self.assert_content("lua_globals.py", self.LUAC)
        self.plant("lua/c.lua", "return inner\n")
        self.assert_finds("lua/c.lua:1: reads the global inner", "lua_globals.py", self.LUAC)

    def test_globals(self):
        for text, words in (
                ("\nfunction f() end\n", "lua/a.lua:2: sets the global f"),
                ("local x = 1\ny = 2\n", "lua/a.lua:2: sets the global y"),
                ("return keys[1]\n", "lua/a.lua:1: reads the global keys"),
                ("\nlocal x = os.time()\n", "lua/a.lua:2: reads the global os"),
                ("\nlocal = 3\n", "lua/a.lua:2: is not Lua 5.1")):
            with self.subTest(text=text):
                self.plant("lua/a.lua", text)
                self.assert_finds(words, "lua_globals.py", self.LUAC)


class Scripts(Planted):
    def test_clean_and_not(self):
        self.plant("a.sh", '#!/bin/bash\necho "$1"\n')
        self.assert_content("scripts.sh")
        self.plant("deploy/b.sh", "#!/bin/bash\necho $1\n")
        self.assert_finds("deploy/b.sh:2:", "scripts.sh")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
