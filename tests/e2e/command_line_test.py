"""What the program says to somebody who gets it wrong, to the letter."""

import glob
import os
import subprocess
import tempfile
import unittest

import places

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = sorted(glob.glob(os.path.join(HERE, "wrong_configs", "*.yaml")))
USAGE, CONFIG = 64, 78


def einlass(*arguments):
    """(exit code, stdout, stderr), from an environment with nothing of ours in it."""
    done = subprocess.run([places.EINLASS, *arguments], capture_output=True, text=True, timeout=30,
                          stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
    return done.returncode, done.stdout, done.stderr


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

    def test_help(self):
        code, text, errors = einlass("--help")
        self.assertEqual((code, errors), (0, ""))
        verbs = ("run", "check", "print-config", "replay", "redrive", "demo")
        for verb in verbs:
            self.assertIn(verb, text)
        for verb in verbs:
            with self.subTest(verb=verb):
                code, text, _ = einlass("help", verb)
                self.assertEqual(code, 0)
                self.assertIn(verb, text)

    def test_version(self):
        code, text, errors = einlass("--version")
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(text, r"\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
