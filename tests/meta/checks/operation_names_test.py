from .injected_tree import TestCase
from .operation_names import LIST, find_violations, read_operation_names
from .source_tree import NothingToCheck

NAMES = '[{"name": "none"}, {"name": "layer_norm"}, {"name": "d_y_t"}]'


class OperationNames(TestCase):
    def test_reads_the_names_from_their_list(self):
        self.assertEqual(read_operation_names(self.make_tree({LIST: NAMES})), ["layer_norm", "d_y_t"])
        with self.assertRaises(NothingToCheck):
            read_operation_names(self.make_tree({LIST: '[{"name": "none"}]'}))

    def test_finds_every_kind_of_comparison(self):
        root = self.make_tree({LIST: NAMES, "ref/a.cpp": 'if (name == "layer_norm") {}\n',
                               "ref/b.hpp": '\nif ("d_y_t" != name) {}\n',
                               "gpu/c.cu": 'name.starts_with("layer_norm_")',
                               "verification/d.py": 'if op in ("x", "d_y_t"):\n',
                               "verification/run": "if op=='layer_norm':\n"})
        self.expect(find_violations(root), "gpu/c.cu:1: ", "ref/a.cpp:1: ", "ref/b.hpp:2: ", "verification/d.py:1: ",
                    "verification/run:1: ")

    def test_accepts_names_that_are_not_compared(self):
        root = self.make_tree({LIST: NAMES, "ref/a.cpp": 'constexpr auto kName = "layer_norm";\n',
                               "ref/b.cpp": 'if (text == "none" || text == "final_norm") {}\n',
                               "ref/d.cpp": 'if (name.ends_with("layer_norm.weight")) {}\n',
                               "verification/c.py": 'FORWARD = {"layer_norm": F.layer_norm}\n',
                               "verification/e.py": 'for op in ("layer_norm", "d_y_t"):\n'})
        self.expect(find_violations(root))
