"""The base class of the tests of the checks. A test writes a small tree with faults, which the check must find."""

import pathlib
import tempfile
import unittest


class TestCase(unittest.TestCase):
    maxDiff = None

    def make_tree(self, files):
        """Writes the files, a dictionary `{path: text}`, into a temporary folder. Returns the path of that folder."""
        folder = tempfile.TemporaryDirectory(prefix="normproof_")
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return root

    def expect(self, violations, *parts):
        """Expects one violation for each of the `parts`, in this order. Each violation must contain its part."""
        violations = list(violations)
        self.assertEqual(len(violations), len(parts), violations)
        for violation, part in zip(violations, parts):
            self.assertIn(part, violation)
