#include "verification/cli/study/study_smoothness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/studies/published/sample_results.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::study;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace sample = normproof::tests::verification::studies::published;
namespace study = normproof::verification::studies::published;

using Series = std::vector<std::optional<double>>;

/// Adds the result of a training run of three steps for the loss curves of figures 4 to 6. The
/// model has one norm layer. Each series has one Lipschitz constant per step: of the norm itself
/// (`own`), of BatchNorm, and of PowerNorm.
void add_run(study::Results& results, const char* norm, std::uint64_t seed, const Series& own,
             const Series& of_batch_norm, const Series& of_power_norm) {
  study::Cell cell;
  cell.norm = norm;
  cell = normproof::verification::studies::published::curves_cell(cell, 3, 3200);
  cell.seed = seed;
  normproof::verification::studies::published::CellResult result =
      sample::sample_result(cell, {3, 2, 1});
  result.dynamics.push_back({"layers.0.norm1",
                             {{"lipschitz", own},
                              {"lipschitz_batch_norm", of_batch_norm},
                              {"lipschitz_power_norm", of_power_norm}},
                             {}});
  sample::add(results, cell, result);
}

TEST(StudySmoothness, ComparesStepsOfRunsWithTheSameSeed) {
  study::Results results;
  add_run(results, "power_norm", 42, {1, 5, std::nullopt}, {2, 2, 2}, {1, 1, 3});
  EXPECT_THAT(smoothness_table(results, {}).rows, IsEmpty());  // BatchNorm was not run
  EXPECT_EQ(smoothness_answer(results, {}), "");
  add_run(results, "batch_norm", 43, {0, 0, 0}, {}, {});
  EXPECT_THAT(smoothness_table(results, {}).rows, IsEmpty());  // its seed differs
  add_run(results, "batch_norm", 42, {2, 4, 6}, {1, 1, 1}, {0.5, 0.5, 0.5});
  const auto table = smoothness_table(results, {});
  ASSERT_THAT(table.rows, SizeIs(1));
  std::vector<std::string> texts;
  for (const auto& cell : table.rows[0].cells) texts.push_back(cell.text);
  EXPECT_THAT(texts, ElementsAre("layers.0.norm1", "1 of 2", "4", "3", "3 of 3", "2 of 3"));
  EXPECT_THAT(smoothness_answer(results, {}),
              testing::AllOf(HasSubstr("At some layers and steps: "),
                             HasSubstr("BatchNorm's at 1 of 2, ")));
  add_run(results, "power_norm", 42, {1, 3, 5}, {}, {});
  EXPECT_THAT(smoothness_answer(results, {}), HasSubstr("here? Yes, at every layer and step: "));
  add_run(results, "power_norm", 42, {2, 4, 6}, {}, {});
  EXPECT_THAT(smoothness_answer(results, {}), HasSubstr("here? No, at no layer and step: "));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
