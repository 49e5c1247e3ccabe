#include "verification/study/convergence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::tests::verification::study {
namespace {

using namespace normproof::verification::study;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

CellResult losses(const std::vector<double>& values) {
  CellResult cell;
  for (const double loss : values) cell.steps.push_back({.loss = loss});
  return cell;
}

TEST(Convergence, IsAMeanOfTheLastLossesBelowAShareOfTheFirst) {
  const ConvergenceRule last_two = {.share = 0.5, .last = 2};
  EXPECT_TRUE(converged(losses({4, 9, 9, 2, 1.5}), last_two));
  EXPECT_FALSE(converged(losses({4, 1, 1, 2, 2}), last_two));  // equal is not below
  EXPECT_FALSE(converged(losses({4, 1, 1, 1, 9}), last_two));
  EXPECT_TRUE(converged(losses({4, 3}), {.share = 1, .last = 10}));  // fewer than ten: all of them
  EXPECT_FALSE(converged(losses({4})));
  EXPECT_FALSE(converged(losses({})));
}

TEST(Convergence, NothingThatIsNotFiniteConverges) {
  CellResult cell = losses({4, 1, 1});
  EXPECT_TRUE(converged(cell));
  cell.diverged = Divergence{.step = 4, .sentence = "x"};
  EXPECT_FALSE(converged(cell));
  EXPECT_FALSE(converged(losses({4, std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_FALSE(converged(losses({4, std::numeric_limits<double>::infinity()})));
}

TEST(Learning, IsAnAccuracyAboveTheMajorityByItsStandardErrors) {
  // m = 1/2 of 100 sentences: a standard error is 0.05.
  const ClassCounts classes = {.training = {1, 1}, .validation = {50, 50}};
  CellResult cell;
  cell.epochs = {{.step = 1, .accuracy = 0.9}, {.step = 2, .accuracy = 0.61}};
  EXPECT_TRUE(learned(cell, classes));
  EXPECT_FALSE(learned(cell, classes, {.errors = 3}));
  cell.epochs.back().accuracy = 0.59;  // the last epoch counts, not the best
  EXPECT_FALSE(learned(cell, classes));
  EXPECT_TRUE(learned(cell, classes, {.errors = 1}));
  cell.diverged = Divergence{};
  EXPECT_FALSE(learned(cell, classes, {.errors = 1}));
  EXPECT_FALSE(learned({}, classes));
}

TEST(LossFloor, OfThePublishedClassesIsThePublishedEntropy) {
  // 1,811 training sentences by the counts of the published weights: 0.5606 nats, to four digits.
  const ClassCounts classes = {.training = {303, 1391, 570}, .validation = {1}};
  EXPECT_EQ(std::round(1e4 * loss_floor(classes, true)), 5606);
  const ClassCounts even = {.training = {1, 3}, .validation = {1}};
  EXPECT_EQ(loss_floor(even, false),
            normproof::ref::numeric::log(2.0));  // two terms of log(1/2)/2, exactly
}

TEST(StudyIdentity, NamesTheDataAndItsClasses) {
  normproof::verification::training::Dataset data;
  data.training = {{{1, 2}, {3}, {4}}, {0, 2, 2}};
  data.validation = {{{1}, {2}, {5}}, {1, 1, 0}};
  const std::string text = study_identity(data);
  EXPECT_THAT(parse_identity(text, "study.json").training, ElementsAre(1U, 0U, 2U));
  EXPECT_THAT(parse_identity(text, "study.json").validation, ElementsAre(1U, 2U));
  EXPECT_EQ(parse_identity(text, "study.json").majority(), 2.0 / 3);
  data.training.sequences[0][0] = 7;
  EXPECT_NE(study_identity(data), text);
  EXPECT_THAT([&] { parse_identity(R"({"classes":{"training":[1]}})", "study.json"); },
              ThrowsMessage<normproof::ref::numeric::FileError>(
                  HasSubstr("study.json: classes.validation")));
  EXPECT_THAT(
      [&] { parse_identity(R"({"classes":{"training":[1],"validation":[]}})", "study.json"); },
      ThrowsMessage<normproof::ref::numeric::FileError>(HasSubstr("classes.validation has none")));
}

}  // namespace
}  // namespace normproof::tests::verification::study
