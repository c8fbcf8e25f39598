"""What the program says to somebody who gets it wrong, to the letter."""

import glob
import os
import pty
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from harness import places
import certificates
from harness.plan import plan

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = sorted(glob.glob(os.path.join(HERE, "wrong_configs", "*.yaml")))
USAGE, CONFIG = 64, 78


def einlass(*arguments):
    """(exit code, stdout, stderr), from an environment with nothing of ours in it."""
    done = subprocess.run([places.EINLASS, *arguments], capture_output=True, text=True, timeout=30,
                          stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
    return done.returncode, done.stdout, done.stderr


class Shell:
    """A real one on a terminal of its own, in which our program only shows what it is called with, but for what completion asks."""

    SETUP = ("PS1='READY> '\neinlass() {\n"
             f"  if [ \"$1\" = complete ]; then {places.EINLASS} \"$@\"; return; fi\n"
             "  printf 'CALLED'; printf '<%s>' \"$@\"; printf '.\\n'\n}\n")

    def __init__(self, home, *arguments):
        self._shown = ""  # And not looked at yet.
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(home)
            os.execvpe(arguments[0], arguments, {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm"})
        self._read_until(r"READY> ")

    def stop(self):
        os.close(self._terminal)
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)

    def calls(self, keys):
        """The arguments that our program gets when these keys come after its name."""
        os.write(self._terminal, f"einlass {keys}\r".encode())
        shown = self._read_until(r"CALLED(<.*>)?\.").group(1)
        self._read_until(r"READY> ")
        return re.findall("<([^>]*)>", shown or "")

    def _read_until(self, pattern):
        deadline = time.monotonic() + 20 * places.PATIENCE
        while not (found := re.search(pattern, self._shown)):
            assert select.select([self._terminal], [], [], max(deadline - time.monotonic(), 0))[0], f"only {self._shown!r}"
            self._shown += os.read(self._terminal, 65536).decode(errors="replace")
        self._shown = self._shown[found.end():]
        return found


@plan(together=True)
class CommandLine(unittest.TestCase):
    maxDiff = None

    def test_wrong_configs(self):
        self.assertGreaterEqual(len(WRONG), 28)
        for path in WRONG:
            with open(path[:-len("yaml")] + "txt") as file:
                expected = file.read().replace("FILE", path)
            for verb in ("check", "run"):
                with self.subTest(config=os.path.basename(path), verb=verb):
                    code, _, errors = einlass(verb, "-c", path)
                    self.assertEqual(errors, expected)
                    self.assertEqual(code, CONFIG)

    def test_an_authority_that_is_none(self):
        with tempfile.TemporaryDirectory() as directory:
            path, missing = os.path.join(directory, "gate.yaml"), os.path.join(directory, "ca.pem")
            with open(path, "w") as file:
                file.write("kafka: {oauth: {token_url: 'https://localhost:1/t', client_id: c, client_secret: s, "
                           f"ca_file: {missing}}}}}\ntargets: {{t: {{kafka: {{topic: b}}}}}}\n"
                           "routes: [{name: r, topics: [a], target: t}]\n")
            for verb in ("check", "run"):
                with self.subTest(verb=verb):
                    code, _, errors = einlass(verb, "-c", path)
                    self.assertEqual(code, CONFIG, errors)
                    self.assertIn(f"kafka.oauth: no certificates can be read from the CA file {missing}", errors)

    def assert_refused(self, text, mistake):
        """By check and by run, in one line; mistake: with FILE for the file's name."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write(text)
            config.flush()
            for verb in ("check", "run"):
                with self.subTest(verb=verb, mistake=mistake):
                    code, _, errors = einlass(verb, "-c", config.name)
                    self.assertEqual(code, CONFIG, errors)
                    self.assertEqual(errors.count("\n"), 1, errors)
                    self.assertTrue(errors.startswith(mistake.replace("FILE", config.name)), errors)

    def test_files_for_tls_that_are_none(self):
        with tempfile.TemporaryDirectory() as directory:
            authority = certificates.Authority(directory)
            cert, key = authority.sign("good")
            missing, empty = os.path.join(directory, "missing.pem"), os.path.join(directory, "empty.pem")
            with open(empty, "w"):
                pass
            rest = "routes: [{name: r, topics: [a], target: t, limits: []}]\n"
            for file in (missing, empty):
                self.assert_refused(f"targets:\n  t: {{http: {{url: 'https://h/', ca_file: {file}}}}}\n" + rest,
                                    "FILE:2:42: targets.t.http.ca_file: no certificates can be read from the CA file")
                self.assert_refused("targets:\n  t:\n    http:\n      url: https://h/\n"
                                    f"      key_file: {key}\n      cert_file: {file}\n" + rest,
                                    "FILE:6:18: targets.t.http.cert_file: no certificate can be read from ")
            target = "targets: {t: {http: {url: 'http://h/'}}}\n"
            self.assert_refused(f"tracing: {{url: 'https://h/v1/traces', ca_file: {missing}}}\n" + target + rest,
                                "FILE:1:48: tracing.ca_file: no certificates can be read from the CA file")
            self.assert_refused(f"admin: {{tls: {{cert_file: {cert}, key_file: {empty}}}}}\n" + target + rest,
                                "FILE:1:14: admin.tls: the key in ")

    def test_properties_that_librdkafka_does_not_take(self):
        rest = "targets: {t: {http: {url: 'http://h/'}}}\nroutes: [{name: r, topics: [a], target: t, limits: []}]\n"
        takes = "librdkafka does not accept the value; it takes "
        for name, value, why in (("foo.bar", "1", "librdkafka "), ("socket.timeout.ms", "soon", takes + "10 .. 300000"),
                                 ("security.protocol", "tls", takes + "plaintext, ssl, "), ("acks", "1", "cannot be set: ")):
            self.assert_refused(f"kafka:\n  properties:\n    client.id: a\n    {name}: {value}\n" + rest,
                                f"FILE:4:{7 + len(name)}: kafka.properties.{name}: {why}")

    def test_no_config_to_be_read(self):
        with tempfile.TemporaryDirectory() as directory:
            for path in (os.path.join(directory, "missing.yaml"), directory):
                for verb in ("run", "check", "print-config"):
                    with self.subTest(path=path, verb=verb):
                        code, _, errors = einlass(verb, "-c", path)
                        self.assertEqual(code, CONFIG, errors)
                        self.assertIn(path, errors)

    def test_wrong_usage(self):
        for arguments in ((), ("nonsense",), ("run",), ("run", "-c"), ("run", "--nonsense", "-c", "x.yaml"),
                          ("check",), ("replay", "-c", "x.yaml"), ("help", "nonsense")):
            with self.subTest(arguments=arguments):
                code, _, errors = einlass(*arguments)
                self.assertEqual(code, USAGE, errors)
                self.assertTrue(errors.strip())

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            code, script, errors = einlass("completion", shell)
            self.assertEqual((code, errors), (0, ""))
            for word in ("print-config", "redrive", "--dry-run" if shell != "fish" else "-l dry-run"):
                self.assertIn(word, script)
            self.assertNotIn("demo-broker", script)
        self.assertEqual(einlass("completion", "csh")[0], USAGE)

    def _folder(self):
        """One that a shell calls its home, with one file in one folder: a configuration."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        os.mkdir(os.path.join(directory.name, "conf"))
        with open(os.path.join(directory.name, "conf", "gate one.yaml"), "w") as file:
            file.write("""
limits:
  callbacks: {algorithm: token_bucket, rate: 5/s, burst: 5, store: memory}
  per_tenant: {algorithm: token_bucket, rate: 5/s, burst: 5, store: memory, key: 'header:tenant'}
shares: {tenants: {by: 'header:tenant'}, alone: {}}
targets: {billing: {http: {url: 'http://h/'}}, archive: {kafka: {topic: archived}}}
routes:
  - {name: results, topics: [results, orders], target: billing, limits: [per_tenant], dead_letter: letters}
  - {name: bulk, topics: ['^of.*'], target: archive, limits: [callbacks]}
""")
        return directory.name

    def assert_completes(self, folder, *shell):
        file = ["-c", "conf/gate one.yaml"]
        shell = Shell(folder, *shell)
        self.addCleanup(shell.stop)
        for keys, arguments in (
                ("pri\tc\t", ["print-config"]),  # First: the script may only be loaded now.
                ("rep\t", ["replay"]),
                ("check --con\tn\t", ["check", "--connect"]),
                ("run -c co\tg\t", ["run", "-c", "conf/gate one.yaml"]),
                ("check --config co\tg\t--conn\t", ["check", "--config", "conf/gate one.yaml", "--connect"]),
                ("replay --limits \tx", ["replay", "--limits", "x"]),
                ("redrive --ro\tr --rea\trefu\t", ["redrive", "--route", "r", "--reason", "refused"]),
                ("redrive --top\tx --from beg\t", ["redrive", "--topic", "x", "--from", "beginning"]),
                ("replay --store re\t", ["replay", "--store", "redis"]),
                ("completion z\t", ["completion", "zsh"]),
                ("help to\t", ["help", "top"]),
                # What stands in the file: names, and no pattern.
                ("pause -c co\tg\t --route re\t", ["pause", *file, "--route", "results"]),
                ("pause --for 1h -c co\tg\t --target b\t", ["pause", "--for", "1h", *file, "--target", "billing"]),
                ("resume -c ~/co\tg\t --topic o\t", ["resume", "-c", f"{folder}/conf/gate one.yaml", "--topic", "orders"]),
                ("pause -c co\tg\t --limit \t --key x", ["pause", *file, "--limit", "per_tenant", "--key", "x"]),
                ("why -c co\tg\t --topic re\t", ["why", *file, "--topic", "results"]),
                ("redrive -c co\tg\t --topic \t", ["redrive", *file, "--topic", "letters"]),
                ("replay -c co\tg\t --limits callbacks,p\t", ["replay", *file, "--limits", "callbacks,per_tenant"]),
                ("quota set -c co\tg\tp\tp\t", ["quota", "set", *file, "per_tenant", "p"]),
                ("quota set -c co\tg\tsh\tsh\t", ["quota", "set", *file, "share:tenants", "sh"]),
                ("quota set -c co\tg\tshare:t\tx\t", ["quota", "set", *file, "share:tenants", "x"]),
                ("quota set -c co\tg\tshare:\tp\t", ["quota", "set", *file, "share:tenants", "p"]),
                ("pause -c conf/none --route r\tx", ["pause", "-c", "conf/none", "--route", "rx"])):
            with self.subTest(keys=keys):
                self.assertEqual(shell.calls(keys), arguments)

    def test_completion_in_a_real_bash(self):
        folder = self._folder()
        with open(os.path.join(folder, ".bashrc"), "w") as file:
            file.write(einlass("completion", "bash")[1] + Shell.SETUP)
        self.assert_completes(folder, "bash", "--noprofile", "-i")

    def test_completion_in_a_real_zsh(self):
        for loaded in ("by compinit", "by source"):
            with self.subTest(loaded=loaded):
                folder = self._folder()
                functions = os.path.join(folder, ".functions")
                os.mkdir(functions)
                with open(os.path.join(functions, "_einlass"), "w") as file:
                    file.write(einlass("completion", "zsh")[1])
                begin = "autoload -Uz compinit && compinit -u -D\n"
                begin = f"fpath+={functions}\n{begin}" if loaded == "by compinit" else f"{begin}. {functions}/_einlass\n"
                with open(os.path.join(folder, ".zshrc"), "w") as file:
                    file.write(begin + Shell.SETUP)
                self.assert_completes(folder, "zsh", "-d", "-i")

    def test_completion_in_a_real_fish(self):
        folder = self._folder()
        functions = os.path.join(folder, ".config", "fish", "completions")
        os.makedirs(functions)
        with open(os.path.join(functions, "einlass.fish"), "w") as file:
            file.write(einlass("completion", "fish")[1])

        def complete(line):
            """fish tells what it would offer, with a tab before each text."""
            done = subprocess.run(["fish", "-c", "complete -C $argv[1]", f"einlass {line}"], capture_output=True, text=True,
                                  timeout=30, cwd=folder,  # It completes only what it can find.
                                  env={"PATH": f"{os.path.dirname(places.EINLASS)}:{os.environ['PATH']}", "HOME": folder})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [offered.split("\t")[0] for offered in done.stdout.splitlines()]

        self.assertEqual(complete("ch"), ["check"])
        self.assertEqual(complete("re"), ["redrive", "replay", "resume"])
        self.assertEqual(complete("check --con"), ["--config", "--connect"])
        self.assertEqual(complete("run -c co"), ["conf/"])
        self.assertEqual(complete("run --config conf/g"), ["conf/gate one.yaml"])
        self.assertEqual(complete("replay --limits "), [])
        self.assertEqual(complete("run "), [])
        self.assertEqual(complete("completion z"), ["zsh"])
        self.assertEqual(complete("help to"), ["top"])
        file = "-c conf/gate\\ one.yaml"
        self.assertEqual(complete(f"pause {file} --route "), ["bulk", "results"])
        self.assertEqual(complete("pause --config='conf/gate one.yaml' --target b"), ["billing"])
        self.assertEqual(complete("resume -c ~/conf/gate\\ one.yaml --topic "), ["orders", "results"])
        self.assertEqual(complete(f"pause {file} --limit "), ["per_tenant"])
        self.assertEqual(complete(f"redrive {file} --topic "), ["letters"])
        self.assertEqual(complete(f"replay {file} --limits callbacks,p"), ["callbacks,per_tenant"])
        self.assertEqual(complete(f"quota set {file} p"), ["per_tenant"])
        self.assertEqual(complete(f"quota set {file} sh"), ["share:tenants"])
        self.assertEqual(complete(f"quota set {file} share:t"), ["share:tenants"])
        self.assertEqual(complete(f"quota set {file} share:tenants p"), [])
        self.assertEqual(complete(f"quota set {file} per_tenant p"), [])
        self.assertEqual(complete("pause -c conf/none --route "), [])

    def test_mistakes_have_colours_on_a_terminal_only(self):
        wrong = os.path.join(HERE, "wrong_configs", "01-not-a-duration.yaml")

        def seen(**more):
            program = f"import pty, sys; sys.exit(pty.spawn([{places.EINLASS!r}, 'check', '-c', {wrong!r}]) >> 8)"
            done = subprocess.run(["/usr/bin/python3", "-c", program], capture_output=True, timeout=30,
                                  stdin=subprocess.DEVNULL,
                                  env={"PATH": os.environ["PATH"], "TERM": "xterm", **more})
            self.assertEqual(done.returncode, CONFIG)
            return done.stdout

        self.assertIn(b"\x1b[31m", seen())
        self.assertNotIn(b"\x1b", seen(NO_COLOR="1"))
        self.assertNotIn(b"\x1b", seen(TERM="dumb"))
        self.assertNotIn("\x1b", einlass("check", "-c", wrong)[2])

    def test_help(self):
        code, text, errors = einlass("--help")
        self.assertEqual((code, errors), (0, ""))
        verbs = ("run", "check", "print-config", "print-schema", "why", "top", "completion", "healthcheck", "replay", "redrive", "demo")
        for verb in verbs:
            self.assertIn(verb, text)
        for verb in verbs:
            with self.subTest(verb=verb):
                code, text, _ = einlass("help", verb)
                self.assertEqual(code, 0)
                self.assertIn(verb, text)
        self.assertEqual(einlass("help"), einlass("--help"))

    def test_the_file_may_stand_by_itself(self):
        path = os.path.join(places.ROOT, "config", "gate.yaml")
        self.assertEqual(einlass("check", path), (0, f"{path}: the configuration is good\n", ""))
        self.assertEqual(einlass("check"), (USAGE, "", "einlass: --config is required; see einlass check --help\n"))
        self.assertRegex(einlass("quota", "set", "-c", path)[2], r"^einlass: .+; see einlass quota set --help\n$")

    def test_a_verb_that_is_none(self):
        self.assertEqual(einlass("chek"),
                         (USAGE, "", "einlass: there is no verb 'chek'; did you mean `check`? Else see einlass --help\n"))
        self.assertEqual(einlass("version")[2],
                         "einlass: there is no verb 'version'; did you mean `--version`? Else see einlass --help\n")
        self.assertEqual(einlass("xyzzy"), (USAGE, "", "einlass: there is no verb 'xyzzy'; see einlass --help\n"))

    def test_what_is_seldom_meant_is_a_warning_with_its_place(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("limits:\n  a: {algorithm: sliding_log, limit: 1, window: 1s}\ntargets: {t: {http: {url: 'http://h/'}}}\n"
                         "routes: [{name: r, topics: [a], target: t}]\n")
            config.flush()
            code, said, errors = einlass("check", config.name)
        self.assertEqual((code, said), (0, f"{config.name}: the configuration is good\n"))
        self.assertEqual([line.removeprefix(config.name)[:40] for line in errors.splitlines()], [
            ":2:6: warning: limits.a: no route has it", ":4:10: warning: routes[0]: has no limits", ":4:10: warning: routes[0]: has no dead_l"])

    def test_all_properties_that_are_wrong_at_once(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("kafka:\n  properties:\n    acks: 1\n    no.such: 1\n    fetch.wait.max.ms: abc\n"
                         "targets: {t: {http: {url: 'http://h/'}}}\n"
                         "routes: [{name: r, topics: [a], target: t, limits: [], dead_letter: d}]\n")
            config.flush()
            for verb in ("check", "run"):
                with self.subTest(verb=verb):
                    code, _, errors = einlass(verb, config.name)
                    self.assertEqual(code, CONFIG)
                    places_of = [line.removeprefix(config.name).split(": ")[:2] for line in errors.splitlines()]
                    self.assertEqual(places_of, [
                        [":3:11", "kafka.properties.acks"], [":5:24", "kafka.properties.fetch.wait.max.ms"],
                        [":4:14", "kafka.properties.no.such"]])

    def test_what_cannot_be_printed_is_a_failure(self):
        config = os.path.join(places.ROOT, "config", "gate.yaml")
        for arguments in (("print-config", "-c", config), ("print-schema",), ("--version",), ("--help",), ("help",),
                          ("check", "-c", config), ("completion", "zsh")):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([places.EINLASS, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=30, stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
                self.assertEqual((done.returncode, done.stderr), (1, "einlass: stdout: No space left on device\n"))

    def _healthcheck(self, answer):
        """Of a gate that answers so; None: takes the connection and says nothing."""
        with tempfile.TemporaryDirectory() as directory, socket.create_server(("127.0.0.1", 0)) as server:
            path, port = os.path.join(directory, "gate.yaml"), server.getsockname()[1]
            with open(os.path.join(places.ROOT, "config", "gate.yaml")) as example, open(path, "w") as config:
                config.write(example.read() + f"admin: {{listen: 0.0.0.0:{port}}}\n")
            asked = []

            def serve():
                connection, _ = server.accept()
                with connection:
                    asked.append(connection.recv(4096))
                    if answer is None:
                        connection.recv(4096)
                    else:
                        connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            code, said, errors = einlass("healthcheck", "-c", path)
            thread.join()
        self.assertTrue(asked[0].startswith(b"GET /healthz HTTP/1.1\r\n"), asked)
        return code, said, errors.replace(f":{port}", ":PORT")

    def test_healthcheck(self):
        where = "einlass: http://127.0.0.1:PORT/healthz: "
        head = "HTTP/1.1 {}\r\nConnection: close\r\n\r\n{}"
        self.assertEqual(self._healthcheck(head.format("200 OK", "the loop turns\n").encode()),
                         (0, "the loop turns\n", ""))
        trouble = "the event loop has been stuck for 7 s, in the phase handle"
        self.assertEqual(self._healthcheck(head.format("503 Service Unavailable", trouble + "\n").encode()),
                         (1, "", where + trouble + "\n"))
        self.assertEqual(self._healthcheck(b""), (1, "", where + "connection closed without an answer; is the gate running?\n"))
        self.assertEqual(self._healthcheck(None),
                         (1, "", where + "no answer within 5s (127.0.0.1:PORT); is the gate running?\n"))

    def test_healthcheck_of_no_gate(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config, socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            with open(os.path.join(places.ROOT, "config", "gate.yaml")) as example:
                config.write(example.read() + f"admin: {{listen: 127.0.0.1:{nobody.getsockname()[1]}}}\n")
            config.flush()
            code, _, errors = einlass("healthcheck", "-c", config.name)
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"connection refused \(127.0.0.1:\d+\); is the gate running\?")

    def test_version(self):
        code, text, errors = einlass("--version")
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(text, r"\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
