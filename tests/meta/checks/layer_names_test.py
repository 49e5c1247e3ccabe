from .injected_tree import TestCase
from .layer_names import LIST, find_violations, read_layer_names
from .source_tree import NothingToCheck

NAMES = '{.name = "none"}\n{.name = "layer_norm"}\n{.name = "d_y_t"}\n'


class LayerNames(TestCase):
    def test_reads_the_names_from_their_list(self):
        self.assertEqual(read_layer_names(self.make_tree({LIST: NAMES})), ["layer_norm", "d_y_t"])
        with self.assertRaises(NothingToCheck):
            read_layer_names(self.make_tree({LIST: '{.nom = "layer_norm"}'}))

    def test_finds_every_kind_of_comparison(self):
        root = self.make_tree({LIST: NAMES, "ref/a.cpp": 'if (name == "layer_norm") {}\n',
                               "ref/b.hpp": '\nif ("d_y_t" != name) {}\n',
                               "gpu/c.cu": 'name.starts_with("layer_norm_")',
                               "verification/d.py": 'if op in ("x", "d_y_t"):\n',
                               "verification/run": 'if op=="layer_norm":\n'})
        self.expect(find_violations(root), "gpu/c.cu:1: ", "ref/a.cpp:1: ", "ref/b.hpp:2: ", "verification/d.py:1: ",
                    "verification/run:1: ")

    def test_accepts_names_that_are_not_compared(self):
        root = self.make_tree({LIST: NAMES, "ref/a.cpp": 'constexpr auto kName = "layer_norm";\n',
                               "ref/b.cpp": 'if (text == "none" || text == "final_norm") {}\n',
                               "verification/c.py": 'FORWARD = {"layer_norm": F.layer_norm}\n'})
        self.expect(find_violations(root))
