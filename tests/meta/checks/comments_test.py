from .comments import find_violations
from .injected_tree import TestCase
from .source_tree import NothingToCheck

SOUND = "/// Adds.\n/// Returns   the sum; é counts once\n///           of both\n///\n/// Next.\n"


class Comments(TestCase):
    def find(self, text):
        return find_violations(self.make_tree({"ref/torn.hpp": text}))

    def test_accepts_well_formed_comments(self):
        self.expect(self.find(SOUND + "/// " + "é" * 96 + "\n// " + "long " * 24 + "\n"))

    def test_finds_text_that_leaves_its_column(self):
        self.expect(self.find("/// Throws    ContractError if a name is absent, and then nothing\n/// is\n"
                              "///           changed\n"), "ref/torn.hpp:2: a line of a field stands left of its text")

    def test_finds_a_field_inside_a_line(self):
        for line in ("/// Checks the claims. Throws    UsageError\n", "/// Returns   the norms before Throws\n"):
            self.expect(self.find(line), "torn.hpp:1: a field begins inside the line")

    def test_finds_a_line_with_more_than_100_columns(self):
        self.expect(self.find("/// " + "é" * 97 + "\n"), "torn.hpp:1: a doc comment has more than 100 columns")

    def test_rejects_a_tree_without_sources(self):
        with self.assertRaises(NothingToCheck):
            list(find_violations(self.make_tree({"README.md": ""})))
