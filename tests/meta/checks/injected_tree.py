"""The base of the tests of the checks: each injects faults into a small tree, which its check must find."""

import pathlib
import tempfile
import unittest


class TestCase(unittest.TestCase):
    maxDiff = None

    def make_tree(self, files):
        """Writes a small repository, `{path: text}`, into a temporary folder and returns its root."""
        folder = tempfile.TemporaryDirectory(prefix="normproof_")
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return root

    def expect(self, violations, *parts):
        """There is one violation per part, in the order of the parts, and each contains its part."""
        violations = list(violations)
        self.assertEqual(len(violations), len(parts), violations)
        for violation, part in zip(violations, parts):
            self.assertIn(part, violation)
