#include "verification/studies/language/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::studies::language {
namespace {

using namespace normproof::verification::studies::language;

class LearningRateChoice : public ::testing::Test {
 protected:
  void add_loss(const char* rate, std::uint64_t seed, double loss) {
    const Cell cell = cell_of({}, "none", rate, seed, RunPurpose::validation);
    add(results_, cell, sample_result(cell, loss));
  }
  void add_divergence(const char* rate, std::uint64_t seed) {
    const Cell cell = cell_of({}, "none", rate, seed, RunPurpose::validation);
    add(results_, cell, diverged(sample_result(cell, 1)));
  }
  std::optional<std::string> choose_rate() const { return chosen_rate(results_, {}, "none"); }

  Results results_;
};

TEST_F(LearningRateChoice, HasTheLowestMeanValidationLoss) {
  add_loss("3e-3", 1, 1.0);
  add_loss("3e-3", 2, 2.0);
  add_loss("1e-2", 1, 1.25);
  add_loss("1e-2", 2, 1.5);
  add_loss("3e-2", 1, 0.5);
  EXPECT_EQ(choose_rate(), std::nullopt);
  add_loss("3e-2", 2, 3.0);
  EXPECT_EQ(choose_rate(), "1e-2");
  add_loss("3e-2", 3, 0.0);  // seed 3 does not decide
  EXPECT_EQ(choose_rate(), "1e-2");
  EXPECT_EQ(collect_rate_losses(results_, {}, "none")[1].loss, 1.375);
}

TEST_F(LearningRateChoice, IsTheLowerRateIfLossesAreEqual) {
  add_rate_deciding_runs(results_, {}, "none");
  for (const std::uint64_t seed : {1, 2}) add_loss("3e-2", seed, 1.0);
  EXPECT_EQ(choose_rate(), "1e-2");
}

TEST_F(LearningRateChoice, IsADivergedRateOnlyIfAllDiverged) {
  add_rate_deciding_runs(results_, {}, "none");
  add_divergence("1e-2", 2);
  EXPECT_EQ(choose_rate(), "3e-3");
  EXPECT_EQ(collect_rate_losses(results_, {}, "none")[1].diverged, 1u);
  for (const std::uint64_t seed : {1, 2}) add_divergence("3e-3", seed);
  EXPECT_EQ(choose_rate(), "3e-2");
  add_divergence("3e-2", 1);
  EXPECT_EQ(choose_rate(), "3e-3");
}

TEST_F(LearningRateChoice, IgnoresLossesOnTheTestPart) {
  add_tested_runs(results_, {}, "none", {0.1});
  const Cell cell = cell_of({}, "none", "3e-2", 1, RunPurpose::test);
  add(results_, cell, sample_result(cell, 0.0));
  EXPECT_EQ(choose_rate(), "1e-2");
}

}  // namespace
}  // namespace normproof::tests::verification::studies::language
