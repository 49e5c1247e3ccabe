import pathlib
import subprocess

from .injected_tree import TestCase

CHECK = pathlib.Path(__file__).resolve().parent.parent / "check"


class Command(TestCase):
    def run_check(self, *arguments):
        done = subprocess.run([CHECK, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_the_exit_status_says_whether_there_is_a_violation(self):
        bibliography = {"docs/references.bib": "@book{Hig02, year = {2002}}\n"}
        self.assertEqual(self.run_check("citations", self.make_tree(bibliography | {"README.md": "[Hig02]"})),
                         (0, "citations: no violation\n"))
        root = self.make_tree(bibliography | {"README.md": "[Hig02] [Hig" "03]"})
        self.assertEqual(self.run_check("citations", root),
                         (1, "README.md: cites [Hig" "03], which docs/references.bib does not have\n"))

    def test_a_tree_with_nothing_to_check_is_a_violation(self):
        for name in ("citations", "clauses", "document_paths", "formulas", "registration"):
            root = self.make_tree({"docs/references.bib": ""})
            status, output = self.run_check(name, root)
            self.assertEqual(status, 1, output)
            self.assertNotIn("Traceback", output)

    def test_rejects_wrong_command_lines(self):
        for arguments in (["colors", "."], ["layering", "."], ["clauses", ".", "--links", "a"],
                          ["formulas", ".", "--record"]):
            self.assertEqual(self.run_check(*arguments)[0], 2)
