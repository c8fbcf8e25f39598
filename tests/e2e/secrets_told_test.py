"""What the search for secrets that were told would find."""

import os
import tempfile
import unittest

from harness.plan import plan
from harness import secrets_told


@plan(servers=False, together=True)
class Search(unittest.TestCase):
    def test_the_secrets_of_a_configuration(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "file")
            with open(path, "w") as file:
                file.write("in a file\n")
            found = secrets_told.of_config({
                "redis": {"url": "rediss://user:in%20the%20url@h/", "password_file": path, "username": "somebody"},
                "kafka": {"properties": {"sasl.password": "of kafka", "ssl.key.location": "/no/secret"}},
                "routes": [{"name": "results-of-all"}],
                "targets": {"t": {"http": {"url": "http://h/no/secret", "headers": {"Authorization": "Bearer abcdefgh"},
                                           "auth": {"oauth2": {"token_url": "http://h/token"}}}}}})
        self.assertEqual({text for text in found if "%" not in text},
                         {"in the url", "in a file", "of kafka", "Bearer abcdefgh", "abcdefgh"})

    def test_where_they_stand(self):
        self.assertEqual(secrets_told.told({"abcdefgh"}, {"log": "it is abcdefgh", "page": "nothing"}),
                         "log shows a secret of 8 characters")
        self.assertEqual(secrets_told.told({"abcdefgh"}, {"log": "it is not"}), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
