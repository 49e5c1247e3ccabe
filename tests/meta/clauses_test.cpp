#include "tests/meta/clauses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tests/meta/planted_tree.hpp"
#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kHeader =
    "/// Adds.\n/// Computes  a + b\n/// Requires  those of b; (C1) a is |a|\n"
    "///           and finite  (C2) b > 0\n/// Throws    ContractError (C9)\n"
    "template <class T>\nT add(T a, T b);\n\n"
    "/// Requires  (C2) of add  (C3) c is\n///           given\nclass Adder {\n"
    "  /// Requires  (C1) to (C3)\n  void go();\n};\n";
const std::string kSource =
    "if (bad) fail(Clause::C1);\nif (worse) fail(Clause::C2, Clause::C3);\n";
const std::string kTest =
    "TEST(Add, C1AIsFinite) { contract_message(f); }\nTEST(Add, C2BIsPositive) { refused(g); }\n"
    "TEST_F(Adder, C3CIsGiven) {\n  EXPECT_EQ(message(h), \"x\");\n}\nTEST(Add, C1AndC2) {}\n";

using Tree = std::map<std::string, std::string>;

Tree sound() {
  return {{"ref/ops/add.hpp", kHeader},
          {"ref/ops/add.cpp", kSource},
          {"tests/ref/ops/add_test.cpp", kTest}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<std::string> checks_of(const Tree& tree, const std::string& exceptions = "") {
  const TemporaryTree planted(tree);
  return check_violations(planted.root(), read_all_requirements(planted.root(), {"ref/ops"}),
                          exceptions);
}

std::vector<std::string> tests_of(const Tree& tree, const std::string& exceptions = "") {
  const TemporaryTree planted(tree);
  return test_violations(planted.root(), read_all_requirements(planted.root(), {"ref/ops"}),
                         exceptions);
}

TEST(Clauses, ReadsRequirementsOfAHeader) {
  EXPECT_EQ(requirements_markdown(read_requirements("ref/ops/add", kHeader)),
            "\n## ref/ops\n\n| function | clause | requires |\n|---|---|---|\n"
            "| `add` | (C1) | a is \\|a\\| and finite |\n| `add` | (C2) | b > 0 |\n"
            "| `Adder` | (C3) | c is given |\n");
}

TEST(Clauses, CountsARequirementOfTwoOverloadsOnce) {
  const std::string one = "/// Requires  (C1) n > 0\n/// Notes     (C2) is none\nint f(int n);\n";
  EXPECT_EQ(read_requirements("ref/ops/f", one + one).size(), 1u);
  EXPECT_EQ(read_requirements("ref/ops/f", one + replaced(one, "> 0", "> 1")).size(), 2u);
}

TEST(Clauses, AssignsACommentOfTheWholeFileToItsHeader) {
  const auto found = read_requirements(
      "ref/ops/add", "/// Common:\n///\n/// Requires  (C1) a\nnamespace normproof {\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].function, "add");
  EXPECT_EQ(found[0].label(), "ref/ops/add:C1");
}

TEST(Clauses, AcceptsAValidTree) {
  EXPECT_THAT(checks_of(sound()), IsEmpty());
  EXPECT_THAT(tests_of(sound()), IsEmpty());
}

TEST(Clauses, RejectsASpecificationThatDiffers) {
  const auto stated = read_requirements("ref/ops/add", kHeader);
  const std::string markdown = "# Requirements\n\nOf ref.\n" + requirements_markdown(stated);
  EXPECT_THAT(specification_violations(stated, markdown), IsEmpty());
  EXPECT_THAT(specification_violations(stated, replaced(markdown, "(C2) | b > 0", "(C4) | b > 0")),
              UnorderedElementsAre(HasSubstr("expected | `add` | (C2) | b > 0 |"),
                                   HasSubstr("no header has | `add` | (C4) | b > 0 |")));
  EXPECT_THAT(specification_violations(stated, "# Requirements\n"), Not(IsEmpty()));
  const std::string row = "| `add` | (C2) | b > 0 |\n";
  EXPECT_THAT(specification_violations(stated, replaced(markdown, row, "") + row),
              ElementsAre(HasSubstr("the order of the headers")));
}

TEST(Clauses, RejectsACheckOfAnotherClause) {
  Tree tree = sound();
  tree["ref/ops/add.cpp"] = replaced(kSource, "Clause::C3", "Clause::C4");
  EXPECT_THAT(checks_of(tree),
              ElementsAre(HasSubstr("ref/ops/add:C3: no check in ref/ops names it"),
                          HasSubstr("ref/ops: a check names C4, which no header")));
  tree["gpu/ops/add.cpp"] = "fail(Clause::C7);\n";
  EXPECT_THAT(checks_of(tree), Contains(HasSubstr("gpu/ops: a check names C7")));
  tree["ref/tensor/contract.cpp"] = "fail(Clause::C3);\n";
  EXPECT_THAT(checks_of(tree), Not(Contains(HasSubstr("add:C3"))));
}

TEST(Clauses, DoesNotCountAComparisonAsACheck) {
  Tree tree = sound();
  tree["ref/ops/add.cpp"] = kSource + "return clause == Clause::C8 || c == ref::Clause::C7;\n";
  EXPECT_THAT(checks_of(tree), IsEmpty());
  tree["ref/ops/add.cpp"] = replaced(kSource, "fail(Clause::C1)", "c == Clause::C1");
  EXPECT_THAT(checks_of(tree), ElementsAre(HasSubstr("add:C1: no check in ref/ops names it")));
}

TEST(Clauses, FolderIncludesItsSubfolders) {
  const TemporaryTree planted({{"ref/ops/add.hpp", kHeader}, {"refined/add.hpp", kHeader}});
  EXPECT_EQ(read_all_requirements(planted.root(), {"ref"}),
            read_all_requirements(planted.root(), {"ref/ops"}));
}

TEST(Clauses, RejectsARequirementOfADeviceThatRefDoesNotState) {
  const auto of_ref = read_requirements("ref/ops/add", kHeader);
  EXPECT_THAT(device_violations(read_requirements("gpu/ops/add", kHeader), of_ref), IsEmpty());
  EXPECT_THAT(device_violations(read_requirements("gpu/ops/other", kHeader), {}), IsEmpty());
  const std::string other = replaced(kHeader, "(C2) b", "(C8) b");
  EXPECT_THAT(device_violations(read_requirements("gpu/ops/add", other), of_ref),
              ElementsAre(HasSubstr("gpu/ops/add:C8: ref/ops/add.hpp does not state it")));
}

TEST(Clauses, RejectsATestOfAnotherClause) {
  Tree tree = sound();
  tree["tests/ref/ops/add_test.cpp"] = replaced(kTest, "C2B", "C5B");
  EXPECT_THAT(tests_of(tree), ElementsAre(HasSubstr("ref/ops/add:C2: no test of it"),
                                          HasSubstr("C5BIsPositive is of a clause that")));
}

TEST(Clauses, RejectsATestThatExaminesNoRejection) {
  Tree tree = sound();
  tree["tests/ref/ops/add_test.cpp"] = replaced(kTest, "refused(g)", "g()");
  EXPECT_THAT(tests_of(tree), ElementsAre(HasSubstr("C2BIsPositive looks at no refusal")));
}

TEST(Clauses, SuiteNamesTheFunctionIfClauseNumbersRepeat) {
  Tree tree = sound();
  tree["ref/ops/add.hpp"] = kHeader + "\n/// Requires  (C1) n > 0\nint sum_all(int n);\n";
  EXPECT_THAT(tests_of(tree), ElementsAre(HasSubstr("ref/ops/add:C1: no test of it")));
  tree["tests/ref/ops/add_test.cpp"] = kTest + "TEST(SumAll, C1NIsPositive) { refused(f); }\n";
  EXPECT_THAT(tests_of(tree), IsEmpty());
}

TEST(Clauses, ExceptionNeedsAReasonAndMustBeNeeded) {
  Tree tree = sound();
  tree["tests/ref/ops/add_test.cpp"] = replaced(kTest, "C2B", "B");
  const std::string because = "# why\nbecause the type guards it\nref/ops/add:C2\n";
  EXPECT_THAT(tests_of(tree, because), IsEmpty());
  const TemporaryTree planted(tree);
  const auto stated = read_all_requirements(planted.root(), {"ref/ops"});
  EXPECT_THAT(exception_violations(planted.root(), stated, because), IsEmpty());
  EXPECT_THAT(exception_violations(planted.root(), stated, "because\nref/ops/add:C2\n"),
              ElementsAre(HasSubstr("without a reason")));
  EXPECT_THAT(exception_violations(planted.root(), stated, because + "ref/ops/add:C1 a:C1\n"),
              UnorderedElementsAre(HasSubstr("C1: excepted, but it has a test"),
                                   HasSubstr("a:C1: excepted, but no header")));
}

TEST(Clauses, RejectsATreeWithoutRequirements) {
  const TemporaryTree planted(Tree{{"ref/ops/a.hpp", "int f();\n"}});
  EXPECT_THROW(read_all_requirements(planted.root(), {"ref/ops"}), std::runtime_error);
}

class RepositoryClauses : public ::testing::Test {
 protected:
  const std::filesystem::path root = NORMPROOF_SOURCE_DIR;
  const std::vector<Requirement> stated =
      read_all_requirements(root, {"ref/data", "ref/decoder", "ref/encoder", "ref/io", "ref/model",
                                   "ref/nn", "ref/norm", "ref/ops", "ref/train", "verification"});
  const std::string exceptions = read_text(root / "tests/meta/unbroken.txt");
};

TEST_F(RepositoryClauses, AreListedInTheSpecification) {
  const std::string markdown = read_text(root / "docs/specification/requirements.md");
  EXPECT_EQ(joined(specification_violations(stated, markdown)), "");
}

TEST_F(RepositoryClauses, AreNamedByChecks) {
  EXPECT_EQ(joined(check_violations(root, stated, exceptions)), "");
}

TEST_F(RepositoryClauses, AreNamedByTests) {
  EXPECT_EQ(joined(test_violations(root, stated, exceptions)), "");
  EXPECT_EQ(joined(exception_violations(root, stated, exceptions)), "");
}

TEST_F(RepositoryClauses, DeviceRequirementsAreThoseOfTheReference) {
  const auto of_devices =
      read_all_requirements(root, {"gpu/encoder", "gpu/nn", "gpu/ops", "gpu/train"});
  EXPECT_EQ(joined(device_violations(of_devices, stated)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
