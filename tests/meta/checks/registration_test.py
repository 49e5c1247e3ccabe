from .injected_tree import TestCase
from .registration import find_unknown_entries, find_unregistered, find_untested
from .source_tree import read_sources


class Registration(TestCase):
    def find_unregistered(self, files):
        root = self.make_tree(files)
        return find_unregistered(root, read_sources(root))

    def find_untested(self, files, exceptions):
        return find_untested(read_sources(self.make_tree(files)), exceptions)

    def test_finds_a_test_that_no_cmakelists_names(self):
        self.expect(self.find_unregistered({"tests/ref/ops/CMakeLists.txt": "t(x SOURCES a_test.cpp # b_test.cpp",
                                            "tests/ref/ops/a_test.cpp": "", "tests/ref/ops/b_test.cpp": "",
                                            "tests/ref/norm/c_test.cpp": ""}),
                    "tests/ref/norm/c_test.cpp: not named in", "tests/ref/ops/b_test.cpp: not named in")

    def test_finds_a_header_that_its_library_does_not_name(self):
        self.expect(self.find_unregistered({
            "ref/ops/CMakeLists.txt": "normproof_library(ref/ops SOURCES a.cpp HEADERS a.hpp)",
            "ref/ops/a.cpp": "", "ref/ops/a.hpp": "", "ref/ops/b.hpp": ""}),
            "ref/ops/b.hpp: not named in ref/ops/CMakeLists.txt")

    def test_finds_a_source_without_a_test(self):
        self.expect(self.find_untested({"ref/ops/a.cpp": "", "ref/ops/b.hpp": "", "ref/ops/c.hpp": "",
                                        "tests/ref/ops/a_test.cpp": ""}, "# why\nbecause it describes\nref/ops/c\n"),
                    "ref/ops/b: expected tests/ref/ops/b_test.cpp")

    def test_finds_wrong_exceptions(self):
        files = {"ref/ops/a.cpp": "", "tests/ref/ops/a_test.cpp": ""}
        self.expect(self.find_untested(files, "because it is short\nref/ops/a\n"), "excepted, but it has a test")
        self.expect(self.find_untested(files, "because it was short\n\nref/ops/gone\n"), "excepted, but there is none")
        self.expect(self.find_untested(files, "because\nref/ops/a\n"), "gives no reason", "it has a test")

    def test_finds_an_unknown_entry_of_the_root(self):
        root = self.make_tree({".gitignore": "/build/\n", ".ci/run": "", "build/x": "", "ref/a.cpp": "",
                               "scripts/a.py": ""})
        self.expect(find_unknown_entries(root), "scripts: not")
