from .injected_tree import TestCase
from .layering import (LinkGraph, find_header_violations, find_include_violations, find_link_violations,
                       find_violations, read_table)
from .source_tree import NothingToCheck, read_sources

TABLE = ("0  ref/numeric [ ]\n1  ref/tensor  [ref/numeric]\n2  ref/ops [ref/tensor]\n"
         "2  ref/model [ref/tensor]\n3  gpu [ref/tensor, ref/model]\n")
LINKS = ("ref/numeric target n\nref/tensor target t\nref/tensor public ref/numeric\n"
         "ref/tensor private ref/numeric\nref/ops target o\nref/ops private ref/tensor\n"
         "tests/ref/ops target x\ntests/ref/ops private ref/ops\n")


class Layering(TestCase):
    def find_includes(self, files):
        return find_include_violations(read_sources(self.make_tree(files)), read_table(TABLE), LinkGraph(LINKS))

    def test_reads_the_table(self):
        table = read_table(TABLE)
        self.assertEqual(len(table), 5)
        self.assertEqual(table["ref/numeric"], set())
        self.assertEqual(table["gpu"], {"ref/model", "ref/tensor"})

    def test_accepts_includes_along_the_link_lines(self):
        self.expect(self.find_includes({
            "ref/tensor/a.hpp": '#include "ref/numeric/b.hpp"\n',
            "ref/ops/a.cpp": '#include "ref/ops/a.hpp"\n#include "ref/numeric/b.hpp"\n',
            "tests/ref/ops/a_test.cpp": '#include "ref/ops/a.hpp"\n#include "tests/ref/norm/b.hpp"\n'}))

    def test_finds_an_include_of_a_higher_folder_in_the_table(self):
        self.expect(self.find_includes({"ref/numeric/a.hpp": '#include "ref/tensor/t.hpp"\n'}),
                    "ref/numeric may not use ref/tensor")

    def test_finds_an_include_of_the_reference_in_gpu(self):
        self.expect(self.find_includes({"gpu/a.cu": '  #  include "ref/ops/reduce.hpp" // x\n'}),
                    "gpu may not use ref/ops")

    def test_finds_a_header_that_includes_a_privately_linked_folder(self):
        self.expect(self.find_includes({"ref/ops/a.hpp": '#include "ref/tensor/t.hpp"\n'}),
                    "ref/ops does not link ref/tensor")

    def test_finds_a_test_that_includes_a_folder_that_it_does_not_link(self):
        self.expect(self.find_includes({"tests/ref/ops/a_test.cpp": '#include "ref/model/m.hpp"\n'}),
                    "tests/ref/ops does not link ref/model")

    def test_finds_an_include_that_does_not_start_at_the_root(self):
        self.expect(self.find_includes({"ref/ops/a.cpp": '#include "a.hpp"\n'}), "expected a path from the root")

    def test_finds_links_that_differ_from_the_table(self):
        table = read_table("0  ref/numeric [ ]\n1  ref/tensor [ref/numeric]\n")
        links = LinkGraph("ref/numeric target n\nref/numeric private ref/tensor\nref/tensor target t\nref/x target x\n")
        self.expect(find_link_violations(table, links), "ref/numeric: links ref/tensor",
                    "names ref/numeric, which it does not link", "ref/x: has a target, but no row")

    def test_finds_a_source_that_does_not_include_its_header_first(self):
        root = self.make_tree({"ref/ops/a.hpp": "",
                               "ref/ops/a.cpp": '#include "ref/ops/b.hpp"\n#include "ref/ops/a.hpp"\n'})
        self.expect(find_header_violations(read_sources(root)), 'ref/ops/a.cpp: expected "ref/ops/a.hpp"')

    def test_rejects_an_empty_tree_and_an_empty_link_graph(self):
        with self.assertRaises(NothingToCheck):
            read_sources(self.make_tree({"README.md": "", "docs/a.md": ""}))
        root = self.make_tree({"docs/layers.md": TABLE, "links.txt": "", "ref/numeric/a.cpp": ""})
        self.expect(find_violations(root, root / "links.txt"), "has no ref/numeric")
