from .document_paths import find_violations, make_anchor, read_mentions
from .injected_tree import TestCase
from .source_tree import NothingToCheck


class DocumentPaths(TestCase):
    def find(self, document):
        return find_violations(self.make_tree({"docs/a.md": document, "docs/b.md": "# B\n\n## The gate\n",
                                               "ref/ops/add.hpp": ""}))

    def test_reads_links_and_paths_in_code(self):
        markdown = ("ref/ops/a in words, `ref/ops/a.hpp`, `verification/run --help`\nb.cpp and `b.cpp`\n"
                    "[a](../ref/a.hpp) [b](b.md#c) [d](https://e.org/f)\n"
                    "```\nnormproof x --in tests/a.npz (docs/b.md)\n```\n`a/ref/b`\n")
        self.assertEqual(list(read_mentions(markdown)),
                         [(1, "path", "ref/ops/a.hpp"), (1, "path", "verification/run"), (2, "name", "b.cpp"),
                          (3, "link", "../ref/a.hpp"), (3, "link", "b.md#c"), (5, "path", "tests/a.npz"),
                          (5, "path", "docs/b.md")])

    def test_ignores_placeholders_and_names_of_tests(self):
        markdown = "`ref/norm/<layer>.hpp` `tests/run -R gpu/a` `ref/*/a.cpp` `<layer>.cpp`\n"
        self.assertEqual(list(read_mentions(markdown)), [(1, "path", "tests/run")])

    def test_makes_the_anchor_of_a_heading(self):
        self.assertEqual(make_anchor("## 8. What's `left`: a-b"), "8-whats-left-a-b")

    def test_accepts_files_that_exist(self):
        self.expect(self.find("# A\n[b](b.md) [gate](b.md#the-gate) [a](#a) [o](../ref/ops)\n"
                              "`ref/ops/add.hpp` `ref/ops/add` `ref/ops/` `add.hpp` `verification/out/a.html`\n"))

    def test_finds_a_path_that_does_not_exist(self):
        self.expect(self.find("\n`ref/ops/ad` `ref/opps/add.hpp` `ad.hpp`\n"), "docs/a.md:2: ref/ops/ad is not there",
                    "docs/a.md:2: ref/opps/add.hpp is not there", "docs/a.md:2: ad.hpp is not there")

    def test_finds_a_link_to_no_file_and_to_no_heading(self):
        self.expect(self.find("[b](c.md) [b](b.md#gate)\n[a](#b) [ops](ref/ops)\n"), "docs/a.md:1: c.md is not there",
                    "docs/a.md:1: b.md#gate is not there", "docs/a.md:2: #b is not there",
                    "docs/a.md:2: ref/ops is not there")

    def test_rejects_documents_that_mention_nothing(self):
        with self.assertRaises(NothingToCheck):
            list(find_violations(self.make_tree({"README.md": "words\n", "docs/a.md": ""})))
