#include "verification/cli/study/study_language_statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli::study;
using normproof::verification::studies::language::Results;
using testing::IsEmpty;
namespace language_sample = normproof::tests::verification::studies::language;
namespace report = normproof::verification::support::report;

using Texts = std::vector<std::vector<std::string>>;

Texts list_cell_texts(const report::Table& table) {
  Texts texts;
  for (const report::Row& row : table.rows) {
    texts.emplace_back();
    for (const report::Cell& cell : row.cells) texts.back().push_back(cell.text);
  }
  return texts;
}

/// Returns results with two tested seeds per norm. For PowerNorm, only the result of seed 1 has
/// statistics.
Results results_of_two_seeds() {
  Results results;
  language_sample::add_tested_runs(results, {}, "layer_norm", {1.0, 1.1});
  language_sample::add_tested_runs(results, {}, "power_norm", {0.9, 1.0});
  for (auto& [name, finished] : results)
    if (finished.cell.norm == "power_norm") {
      const double more = static_cast<double>(finished.cell.seed);
      finished.result.max_weighted_gamma = 1.25 + more;
      finished.result.fluctuation = {{"final_norm", "quadratic_mean", 0.5 * more, {0.5}}};
    }
  return results;
}

Results results_with_dynamics() {
  Results results = results_of_two_seeds();
  for (const char* norm : {"layer_norm", "power_norm"}) {
    const auto cell = normproof::verification::studies::language::dynamics_cell({}, norm, "1e-2");
    auto result = language_sample::sample_result(cell, 1.0);
    result.fluctuation = {{"final_norm", "quadratic_mean", 0.25, {0.5}},
                          {"final_norm", "variance", 0.75, {0.5}}};
    if (std::string(norm) == "power_norm")
      result.gradient_bound = {{"final_norm", 0.625, 0.5, {0.5, std::nullopt, 0.25}}};
    language_sample::add(results, cell, result);
  }
  return results;
}

TEST(LanguageStudyStatistics, AreMeansOverTheTestedSeeds) {
  EXPECT_EQ(list_cell_texts(fluctuation_table(results_of_two_seeds(), {})),
            (Texts{{"power_norm", "final_norm", "quadratic_mean", "0.7500"}}));
  EXPECT_EQ(list_cell_texts(gamma_table(results_of_two_seeds(), {})),
            (Texts{{"power_norm", "2.7500"}}));
}

TEST(LanguageStudyStatistics, NormInputsCoverEveryNorm) {
  EXPECT_EQ(list_cell_texts(norm_input_table(results_with_dynamics(), {})),
            (Texts{{"layer_norm", "final_norm", "–", "0.7500", "0.2500"},
                   {"power_norm", "final_norm", "–", "0.7500", "0.2500"}}));
  EXPECT_EQ(list_cell_texts(bound_table(results_with_dynamics(), {})),
            (Texts{{"power_norm", "final_norm", "0.3750", "0.6250", "50.0 %"}}));
}

TEST(LanguageStudyStatistics, HaveNoRowForRunsThatAreMissing) {
  Results chosen;
  language_sample::add_rate_deciding_runs(chosen, {}, "power_norm");
  EXPECT_THAT(fluctuation_table(chosen, {}).rows, IsEmpty());
  EXPECT_THAT(gamma_table(chosen, {}).rows, IsEmpty());
  EXPECT_THAT(norm_input_table(results_of_two_seeds(), {}).rows, IsEmpty());
  EXPECT_THAT(bound_table(results_of_two_seeds(), {}).rows, IsEmpty());
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
