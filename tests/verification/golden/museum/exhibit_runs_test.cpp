#include "verification/golden/museum/exhibit_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "ref/numeric/errors.hpp"
#include "verification/golden/museum/kernel_case.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::museum {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Exhibit make_exhibit(const char* op, Kernel run) {
  return {"planted", "owner/project#1", "planted", "planted", op, std::nullopt, std::move(run)};
}

TEST(BugMuseumTour, ReportsNoBugInACorrectImplementation) {
  const std::vector<ExhibitResult> visits = run_exhibits(
      {make_exhibit(
          "scale_norm",
          [](const Case& c, const KernelEnvironment&) { return run_with_mutation(c, {}); })},
      {});
  ASSERT_THAT(visits, SizeIs(1));
  EXPECT_FALSE(visits[0].found());
  EXPECT_THAT(visits[0].named, IsEmpty());
  EXPECT_GT(visits[0].cases, 20u);
}

TEST(BugMuseumTour, FindsAndNamesABug) {
  const std::vector<ExhibitResult> visits = run_exhibits(
      {make_exhibit("scale_norm",
                    [](const Case& c, const KernelEnvironment&) {
                      return run_with_mutation(c, {"eps", mutations::MutationOperator::drop});
                    })},
      {.jobs = 2});
  EXPECT_THAT(visits[0].case_path, StartsWith("quick/scale_norm/"));
  EXPECT_THAT(visits[0].relation, IsEmpty());
  EXPECT_EQ(visits[0].named, "eps: dropped");
  EXPECT_EQ(visits[0].diagnosed, kDiagnosedCases);
  // "planted" is no exhibit of the museum, so that no name describes its bug.
  EXPECT_THAT(visits[0].wrong_names, Not(IsEmpty()));
}

TEST(BugMuseumTour, FindsReadsOfUninitializedMemoryByARelation) {
  const std::vector<ExhibitResult> visits =
      run_exhibits({make_exhibit("scale_norm",
                                 [](const Case& c, const KernelEnvironment& device) {
                                   KernelCase work(c);
                                   if (device.uninitialized_value != 0)
                                     work.out("y").back() = device.uninitialized_value;
                                   return work.answer();
                                 })},
                   {});
  EXPECT_EQ(visits[0].relation, "memory");
  EXPECT_THAT(visits[0].case_path, StartsWith("quick/scale_norm/"));
}

TEST(BugMuseumTour, SearchesLowerTiersFirst) {
  const std::vector<ExhibitResult> visits =
      run_exhibits({make_exhibit("relu",
                                 [](const Case& c, const KernelEnvironment&) {
                                   KernelCase work(c);
                                   if (c.tier == Tier::standard) work.out("y")[0] += 1;
                                   return work.answer();
                                 })},
                   {.tier = Tier::standard});
  EXPECT_THAT(visits[0].case_path, StartsWith("standard/relu/"));
}

TEST(BugMuseumTour, RunsAnExhibitOfOneDtypeOnThatDtypeOnly) {
  Exhibit exhibit = make_exhibit("scale_norm", [](const Case& c, const KernelEnvironment&) {
    return run_with_mutation(c, {});
  });
  exhibit.dtype = DType::bfloat16;
  const std::vector<ExhibitResult> visits = run_exhibits({exhibit}, {});
  const std::vector<Case> cases = recipes::corpus(Tier::quick);
  EXPECT_EQ(visits[0].cases,
            static_cast<std::size_t>(std::ranges::count_if(cases, [](const Case& c) {
              return corpus::case_operation_name(c) == "scale_norm" && c.dtype == DType::bfloat16;
            })));
}

TEST(BugMuseumTour, RejectsAnOperationWithoutExhibits) {
  EXPECT_THROW(run_exhibits(all_exhibits(), {.only = "layernorm"}), ref::numeric::UsageError);
}

// Each bug that the tour finds must change an output. docs/generated/museum.md lists how each bug
// is found. The test BugMuseum.DocumentEqualsTheOutputOfTheProgram compares that list with a tour.
TEST(BugMuseumTour, EveryBugThatIsFoundChangesTheOutput) {
  std::map<std::string, std::string> killers;
  std::ifstream document(std::filesystem::path(NORMPROOF_SOURCE_DIR) / "docs" / "generated" /
                         "museum.md");
  for (std::string line; std::getline(document, line);) {
    std::vector<std::string> cells;
    for (std::size_t end; (end = line.find(" | ")) != std::string::npos; line.erase(0, end + 3))
      cells.push_back(line.substr(0, end));
    if (cells.size() == 7) killers[cells[0].substr(2)] = cells[6];
  }
  const std::vector<Case> cases = recipes::corpus(Tier::quick);
  std::size_t compared = 0;
  for (const Exhibit& exhibit : all_exhibits()) {
    ASSERT_TRUE(killers.contains(exhibit.name)) << exhibit.name;
    if (!killers[exhibit.name].starts_with("quick/")) continue;  // missed, or found by a relation
    const auto killer = std::ranges::find(cases, killers[exhibit.name], corpus::case_folder);
    ASSERT_NE(killer, cases.end()) << exhibit.name << ": " << killers[exhibit.name];
    EXPECT_NE(exhibit.run(*killer, {}), run_with_mutation(*killer, {})) << exhibit.name;
    ++compared;
  }
  EXPECT_GE(compared, 40u);
}

}  // namespace
}  // namespace normproof::verification::golden::museum
