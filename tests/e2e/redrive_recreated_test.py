"""A dead letter topic that is deleted and made anew while a redrive reads it."""

import signal
import unittest

from harness.plan import plan
import redrive_test

LETTERS = 20


@plan(kafka="4.1.1")
class Recreated(redrive_test.Redrive):
    def _recreate_under(self, *arguments):
        """(stdout, stderr) of a redrive that had read some letters by then; it has to fail."""
        # Each letter is a fetch of its own, which may take a second.
        for offset in range(LETTERS):
            self.world.produce_records("dead", [{**redrive_test.letter(offset), "value": b"." * 2000}])
        process = self.start(self.config(log={"level": "debug"}, kafka={"properties": {
            "fetch.message.max.bytes": "1000", "queued.min.messages": "1", "debug": "fetch"}}), *arguments)
        while "Fetch topic dead [0] at offset 2 " not in (line := process.stderr.readline()):
            self.assertNotEqual(line, "", "it ended before anything was done to it")
        # It stands still meanwhile: it may read the others within milliseconds.
        process.send_signal(signal.SIGSTOP)
        self.world.kafka.delete_topic("dead")
        self.world.create_topic("dead", redrive_test.PARTITIONS)
        process.send_signal(signal.SIGCONT)
        _, out, errors = self.finish(process, code=1)
        self.assertRegex(errors, r"event=kafka_fatal .*dead partition [01] .*deleted and created again")
        return out, errors

    def test_it_ends_with_an_error(self):
        self._recreate_under()
        self.assertLess(len(self.accepted()), LETTERS)

    def test_a_dry_run_shows_no_part_of_what_it_would_send(self):
        out, _ = self._recreate_under("--dry-run")
        self.assertEqual(out, "")


if __name__ == "__main__":
    unittest.main()
