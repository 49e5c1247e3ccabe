#include "verification/studies/published/convergence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/io/sha256.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using testing::ElementsAre;
using testing::HasSubstr;

CellResult make_result_with_losses(const std::vector<double>& values) {
  CellResult cell;
  for (const double loss : values) cell.steps.push_back({.loss = loss});
  return cell;
}

TEST(Convergence, RequiresAMeanOfTheLastLossesBelowAFractionOfTheFirst) {
  const ConvergenceRule last_two = {.share = 0.5, .last = 2};
  EXPECT_TRUE(converged(make_result_with_losses({4, 9, 9, 2, 1.5}), last_two));
  EXPECT_FALSE(
      converged(make_result_with_losses({4, 1, 1, 2, 2}), last_two));  // equal is not below
  EXPECT_FALSE(converged(make_result_with_losses({4, 1, 1, 1, 9}), last_two));
  // If there are fewer than ten losses, all are used.
  EXPECT_TRUE(converged(make_result_with_losses({4, 3}), {.share = 1, .last = 10}));
  EXPECT_FALSE(converged(make_result_with_losses({4})));
  EXPECT_FALSE(converged(make_result_with_losses({})));
}

TEST(Convergence, NonFiniteLossesDoNotConverge) {
  CellResult cell = make_result_with_losses({4, 1, 1});
  EXPECT_TRUE(converged(cell));
  cell.diverged = Divergence{.step = 4, .sentence = "x"};
  EXPECT_FALSE(converged(cell));
  EXPECT_FALSE(converged(make_result_with_losses({4, std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_FALSE(converged(make_result_with_losses({4, std::numeric_limits<double>::infinity()})));
}

TEST(MeanOfLastLosses, ExistsOnlyForFiniteRuns) {
  EXPECT_FALSE(mean_of_last({}, 2));
  CellResult cell = make_result_with_losses({8, 4, 2});
  EXPECT_EQ(mean_of_last(cell, 2), 3);
  EXPECT_EQ(mean_of_last(cell, 1), 2);
  EXPECT_EQ(mean_of_last(cell, 9), 14.0 / 3);
  cell.diverged = Divergence{};
  EXPECT_FALSE(mean_of_last(cell, 2));
}

TEST(Learning, RequiresAnAccuracySeveralStandardErrorsAboveTheMajorityClass) {
  // For a majority class with the share 1/2 of 100 sentences, the standard error is 0.05.
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

TEST(LossFloor, MatchesThePublishedEntropyForThePublishedClasses) {
  // With the class weights of the published code, the entropy is 0.5606 nats to four digits.
  const ClassCounts classes = {.training = {303, 1391, 570}, .validation = {1}};
  EXPECT_EQ(std::round(1e4 * loss_floor(classes, true)), 5606);
  const ClassCounts even = {.training = {1, 3}, .validation = {1}};
  EXPECT_EQ(loss_floor(even, false),
            normproof::ref::numeric::log(2.0));  // two terms of log(1/2)/2, exactly
}

normproof::verification::training::Dataset dataset_of_six_sentences() {
  normproof::verification::training::Dataset data;
  data.training = {{{1, 2}, {3}, {4}}, {0, 2, 2}};
  data.validation = {{{1}, {2}, {5}}, {1, 1, 0}};
  return data;
}

TEST(StudyIdentity, NamesTheDataAndItsClasses) {
  auto data = dataset_of_six_sentences();
  const std::string text = study_identity(data);
  const Identity identity = parse_identity(text, "study.json");
  EXPECT_THAT(identity.classes.training, ElementsAre(1U, 0U, 2U));
  EXPECT_THAT(identity.classes.validation, ElementsAre(1U, 2U));
  EXPECT_EQ(identity.classes.majority(), 2.0 / 3);
  EXPECT_EQ(identity.data_sha256,
            normproof::ref::io::sha256(normproof::verification::training::data_json(data)));
  data.training.sequences[0][0] = 7;
  EXPECT_NE(study_identity(data), text);
  EXPECT_NE(parse_identity(study_identity(data), "study.json").data_sha256, identity.data_sha256);
}

TEST(StudyIdentity, ErrorNamesAnAlteredField) {
  const std::string text = study_identity(dataset_of_six_sentences());
  const auto refused = [](const std::string& altered) {
    return normproof::ref::numeric::error_message<normproof::ref::numeric::FileError>(
        [&] { parse_identity(altered, "study.json"); });
  };
  const auto with = [&](std::string_view old, std::string_view replacement) {
    std::string altered = text;
    return refused(altered.replace(altered.find(old), old.size(), replacement));
  };
  EXPECT_THAT(with("study-1", "study-9"),
              HasSubstr("study.json: format is 'normproof-study-9'; expected normproof-study-1"));
  EXPECT_THAT(with("\"contract\": 1", "\"contract\": 77"),
              HasSubstr("study.json: contract is 77; expected 1"));
  EXPECT_THAT(with("\"validation\": [", "\"other\": ["),
              HasSubstr("study.json: classes.validation is absent"));
  EXPECT_THAT(with("\"data_sha256\"", "\"sha\""), HasSubstr("study.json: data_sha256 is absent"));
  EXPECT_THAT(with("\"sha256\": \"", "\"sha256\": \"x"), HasSubstr("study.json: "));
  EXPECT_THAT(refused(""), HasSubstr("study.json: the whole is no JSON object"));
  EXPECT_THAT(refused("{"), HasSubstr("study.json: the whole is no JSON object"));
  const std::size_t counts = text.find("\"classes\"");
  std::string more = text;
  more.insert(more.find("  2", counts) + 2, "9");
  EXPECT_THAT(refused(more), HasSubstr("study.json: sha256 is not that of the fields before it"));
  for (std::size_t place = 0; place < text.size(); ++place) {
    std::string altered = text;
    altered[place] = static_cast<char>(altered[place] ^ 1);
    EXPECT_THAT(refused(altered), HasSubstr("study.json: ")) << altered;
  }
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
