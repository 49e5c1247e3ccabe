from .citations import find_cited_keys, find_violations, read_keys
from .injected_tree import TestCase
from .source_tree import NothingToCheck

HIGHAM = "@book{Hig02, year = {2002}}\n"


class Citations(TestCase):
    def find(self, header, bibliography):
        return find_violations(self.make_tree({"ref/ops/a.hpp": header, "docs/references.bib": bibliography,
                                               "docs/a.md": "[Hig02]"}))

    def test_reads_keys_and_citations(self):
        self.assertEqual(read_keys("@article{Dek71, title = {A}}\n@book{VSP+17, year = {2017}}\n"), ["Dek71", "VSP+17"])
        self.assertEqual(find_cited_keys("/// Source [Dek71]; [VSP+17, XYH+20] [Hig"
                                         "02b] a[3] [B,T,D] [0, 1]"), {"Dek71", "Hig02b", "VSP+17", "XYH+20"})

    def test_accepts_keys_that_resolve(self):
        self.expect(self.find("/// Source [Fig" "95]\n", HIGHAM + "@article{Fig95, year = {1995}}\n"))

    def test_finds_a_key_that_does_not_resolve(self):
        self.expect(self.find("/// Source [Fig" "95]\n", HIGHAM), "ref/ops/a.hpp: cites [Fig" "95]")

    def test_finds_repeated_and_uncited_entries(self):
        self.expect(self.find("", HIGHAM + HIGHAM + "@book{Knu97, year = {1997}}\n"),
                    "Hig02 twice", "nothing cites Knu97")

    def test_rejects_a_tree_without_citations(self):
        with self.assertRaises(NothingToCheck):
            list(find_violations(self.make_tree({"docs/references.bib": HIGHAM, "ref/a.hpp": ""})))
