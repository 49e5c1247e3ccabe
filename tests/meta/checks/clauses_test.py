from unittest import mock

from . import clauses
from .clauses import (find_check_violations, find_device_violations, find_exception_violations, find_requirements,
                      find_specification_violations, find_test_violations, read_requirements, write_tables)
from .injected_tree import TestCase
from .source_tree import NothingToCheck, read_exceptions, read_sources

HEADER = """/// Adds.
/// Computes  a + b
/// Requires  those of b; (C1) a is |a|
///           and finite  (C2) b > 0
/// Throws    ContractError (C9)
template <class T>
T add(T a, T b);

/// Requires  (C2) of add  (C3) c is
///           given
class Adder {
  /// Requires  (C1) to (C3)
  void go();
};
"""
SOURCE = "if (bad) fail(Clause::C1);\nif (worse) fail(Clause::C2, Clause::C3);\n"
TEST = """TEST(Add, C1_RejectsInfiniteA) { contract_message(f); }
TEST(Add, C2_RejectsNegativeB) { refused(g); }
TEST_F(Adder, C3_RejectsAbsentC) {
  EXPECT_EQ(message(h), "x");
}
TEST(Add, C1AndC2) {}
"""
ADD, ADD_CPP, ADD_TEST = "ref/ops/add.hpp", "ref/ops/add.cpp", "tests/ref/ops/add_test.cpp"
SOUND = {ADD: HEADER, ADD_CPP: SOURCE, ADD_TEST: TEST}


class Clauses(TestCase):
    def read(self, files):
        sources = read_sources(self.make_tree(files))
        return sources, find_requirements(sources, ["ref/ops"])

    def find_checks(self, changed):
        return find_check_violations(*self.read(SOUND | changed))

    def find_tests(self, changed, excepted=()):
        return find_test_violations(*self.read(SOUND | changed), excepted)

    def find_devices(self, header, reference, files):
        sources = read_sources(self.make_tree({ADD: HEADER} | files))
        return find_device_violations(sources, read_requirements(header, files[header + ".hpp"]), reference)

    def test_reads_the_requirements_of_a_header(self):
        self.assertEqual(write_tables(read_requirements("ref/ops/add", HEADER)),
                         "\n## ref/ops\n\n| function | clause | requires |\n|---|---|---|\n"
                         "| `add` | (C1) | a is \\|a\\| and finite |\n| `add` | (C2) | b > 0 |\n"
                         "| `Adder` | (C3) | c is given |\n")

    def test_counts_the_same_requirement_of_two_overloads_once(self):
        one = "/// Requires  (C1) n > 0\n/// Notes     (C2) is none\nint f(int n);\n"
        self.assertEqual(len(read_requirements("ref/ops/f", one + one)), 1)
        self.assertEqual(len(read_requirements("ref/ops/f", one + one.replace("> 0", "> 1"))), 2)

    def test_a_comment_of_the_whole_file_belongs_to_its_header(self):
        found = read_requirements("ref/ops/add", "/// Common:\n///\n/// Requires  (C1) a\nnamespace normproof {\n")
        self.assertEqual([(one.function, one.label) for one in found], [("add", "ref/ops/add:C1")])

    def test_accepts_a_tree_without_faults(self):
        self.expect(self.find_checks({}))
        self.expect(self.find_tests({}))

    def test_finds_a_specification_that_differs_from_the_headers(self):
        stated, row = read_requirements("ref/ops/add", HEADER), "| `add` | (C2) | b > 0 |\n"
        markdown = "# Requirements\n\nOf ref.\n" + write_tables(stated)
        self.expect(find_specification_violations(stated, markdown))
        self.expect(find_specification_violations(stated, markdown.replace("(C2) | b > 0", "(C4) | b > 0")),
                    "expected | `add` | (C2) | b > 0 |", "no header has | `add` | (C4) | b > 0 |")
        self.assertNotEqual(list(find_specification_violations(stated, "# Requirements\n")), [])
        self.expect(find_specification_violations(stated, markdown.replace(row, "") + row), "the order of the headers")

    def test_recording_writes_the_tables_of_the_specification(self):
        root = self.make_tree({ADD: HEADER, clauses.SPECIFICATION: "# Requirements\n\nIntroduction.\n\n## ref/old\n"})
        with mock.patch.object(clauses, "FOLDERS", ("ref/ops",)):
            clauses.record(root)
        written = (root / clauses.SPECIFICATION).read_text()
        self.assertTrue(written.startswith("# Requirements\n\nIntroduction.\n\n## ref/ops\n"), written)
        self.expect(find_specification_violations(read_requirements("ref/ops/add", HEADER), written))

    def test_finds_a_check_of_a_clause_that_no_header_states(self):
        changed = {ADD_CPP: SOURCE.replace("Clause::C3", "Clause::C4")}
        self.expect(self.find_checks(changed), "ref/ops/add:C3: no check in ref/ops names it",
                    "ref/ops: a check names C4, which no header")
        self.assertIn("gpu/ops: a check names C7, which no header of ref/ops states",
                      list(self.find_checks(changed | {"gpu/ops/add.cpp": "fail(Clause::C7);\n"})))
        self.expect(self.find_checks(changed | {"ref/tensor/contract.cpp": "fail(Clause::C3);\n"}),
                    "ref/ops: a check names C4, which no header")

    def test_a_comparison_with_a_clause_is_no_check(self):
        self.expect(self.find_checks({ADD_CPP: SOURCE + "return clause == Clause::C8 || c == ref::Clause::C7;\n"}))
        self.expect(self.find_checks({ADD_CPP: SOURCE.replace("fail(Clause::C1)", "c == Clause::C1")}),
                    "add:C1: no check in ref/ops names it")

    def test_finds_requirements_in_subfolders(self):
        sources = read_sources(self.make_tree({ADD: HEADER, "refined/add.hpp": HEADER}))
        self.assertEqual(find_requirements(sources, ["ref"]), find_requirements(sources, ["ref/ops"]))

    def test_finds_a_gpu_requirement_that_ref_does_not_state(self):
        reference, device = read_requirements("ref/ops/add", HEADER), "gpu/ops/add"
        self.expect(self.find_devices(device, reference, {"gpu/ops/add.hpp": HEADER}))
        self.expect(self.find_devices(device, reference, {"gpu/ops/add.hpp": HEADER.replace("(C2) b", "(C8) b")}),
                    "gpu/ops/add:C8: ref/ops/add.hpp does not state it")
        self.expect(self.find_devices(device, [], {"gpu/ops/add.hpp": "/// Requires  (C1) a\nint f();\n"}),
                    "gpu/ops/add:C1: ref/ops/add.hpp does not state it")

    def test_finds_a_gpu_only_requirement_without_check_or_test(self):
        device, header = "gpu/device/queue", "/// Requires  (C1) n > 0\nvoid wait(int n);\n"
        sound = {device + ".hpp": header, device + ".cpp": "fail(Clause::C1);\n",
                 "tests/gpu/device/queue_test.cpp": "TEST(Queue, C1_RejectsZero) { contract_message(f); }\n"}
        self.expect(self.find_devices(device, [], sound))
        other = {device + ".cpp": "", "gpu/device/other.cpp": "fail(Clause::C1);\n"}
        self.expect(self.find_devices(device, [], sound | other),
                    "gpu/device/queue:C1: its own source has no check that names it")
        self.expect(self.find_devices(device, [], sound | {"tests/gpu/device/queue_test.cpp": ""}),
                    "gpu/device/queue:C1: no test of it")

    def test_finds_a_test_of_a_clause_that_its_header_does_not_state(self):
        self.expect(self.find_tests({ADD_TEST: TEST.replace("C2_Rejects", "C5_Rejects")}),
                    "ref/ops/add:C2: no test of it", "C5_RejectsNegativeB is of a clause that")

    def test_finds_a_test_of_a_clause_that_expects_no_error(self):
        self.expect(self.find_tests({ADD_TEST: TEST.replace("refused(g)", "g()")}),
                    "C2_RejectsNegativeB expects no refusal")

    def test_requires_an_underscore_after_the_clause(self):
        without = {ADD_TEST: TEST.replace("C2_Rejects", "C2Rejects")}
        with mock.patch.object(clauses, "REQUIRES_UNDERSCORE", True):
            self.expect(self.find_tests({}))
            self.expect(self.find_tests(without), "C2RejectsNegativeB has no underscore after its clause; expected C2_")
        with mock.patch.object(clauses, "REQUIRES_UNDERSCORE", False):
            self.expect(self.find_tests(without))

    def test_requires_a_suite_named_after_the_function_if_functions_share_a_clause_number(self):
        header = HEADER + "\n/// Requires  (C1) n > 0\nint sum_all(int n);\n"
        self.expect(self.find_tests({ADD: header}), "ref/ops/add:C1: no test of it")
        self.expect(self.find_tests({ADD: header, ADD_TEST: TEST + "TEST(SumAll, C1_RejectsZero) { refused(f); }\n"}))

    def test_finds_exceptions_without_a_reason_or_without_need(self):
        changed = {ADD_TEST: TEST.replace("C2_Rejects", "Rejects")}
        because = "# why\nbecause the type guards it\nref/ops/add:C2\n"
        self.expect(self.find_tests(changed, read_exceptions(because)[0]))
        tree = self.read(SOUND | changed)
        self.expect(find_exception_violations(*tree, *read_exceptions(because)))
        self.expect(find_exception_violations(*tree, *read_exceptions("because\nref/ops/add:C2\n")), "without a reason")
        self.expect(find_exception_violations(*tree, *read_exceptions(because + "ref/ops/add:C1 a:C1\n")),
                    "C1: excepted, but it has a test", "a:C1: excepted, but no header")

    def test_rejects_a_tree_without_requirements(self):
        with self.assertRaises(NothingToCheck):
            self.read({"ref/ops/a.hpp": "int f();\n"})
