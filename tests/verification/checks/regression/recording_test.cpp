#include "verification/checks/regression/recording.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ref/numeric/errors.hpp"
#include "tests/verification/checks/regression/small_history.hpp"
#include "verification/golden/certify/manifest.hpp"

namespace normproof::verification::checks::regression {
namespace {

using ::testing::HasSubstr;

class RecordedCases : public SmallHistory {};

TEST_F(RecordedCases, EachOutputHasAHashAndErrorStatistics) {
  const auto recorded = record_candidate(reference_candidate());
  ASSERT_EQ(recorded.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(recorded[i].path, cases_[i].path);
    EXPECT_EQ(recorded[i].problem, "");
    const auto answer =
        reference_candidate()(golden::certify::read_case(golden(), cases_[i])).tensors();
    ASSERT_EQ(recorded[i].outputs.size(), answer.size());
    for (const RecordedOutput& output : recorded[i].outputs) {
      EXPECT_EQ(output.sha256,
                ref::io::content_sha256({*golden::corpus::find(answer, output.name)}));
      EXPECT_EQ(output.dtype, "float64");
      EXPECT_LE(output.error.max_share, 1) << output.name;
      EXPECT_LE(output.error.mean_share, output.error.max_share);
      EXPECT_LE(output.error.mean_ulp, output.error.max_ulp);
    }
    EXPECT_EQ(history().answer(recorded[i].answer_sha256).size(), answer.size());
  }
}

TEST_F(RecordedCases, DoNotDependOnTheNumberOfJobs) {
  const auto one = record_candidate(reference_candidate(), 1),
             two = record_candidate(reference_candidate(), 2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one[i].answer_sha256, two[i].answer_sha256);
}

TEST_F(RecordedCases, AllNaNsAreEqual) {
  const auto nan = [](std::uint64_t bits) {
    return [bits](double) { return std::bit_cast<double>(bits); };
  };
  const auto one = record_candidate(make_candidate_with_changed_y(nan(0x7ff8000000000000))),
             two = record_candidate(make_candidate_with_changed_y(nan(0xfff8000000000001)));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one[i].answer_sha256, two[i].answer_sha256);
  EXPECT_EQ(summarize(one).layers.at(0).error.max_share, std::numeric_limits<double>::infinity());
}

TEST_F(RecordedCases, DeclinedCaseIsOmitted) {
  const std::string declined = cases_[1].path;
  const auto recorded =
      record_candidate([&, own = reference_candidate()](const golden::certify::StoredCase& stored) {
        return stored.description.path == declined ? golden::candidate::CandidateOutput::declined()
                                                   : own(stored);
      });
  ASSERT_EQ(recorded.size(), cases_.size() - 1);
  for (const RecordedCase& one : recorded) EXPECT_NE(one.path, declined);
  EXPECT_EQ(summarize(recorded).answered, recorded.size());
}

TEST_F(RecordedCases, InvalidOutputIsRecordedAsAProblem) {
  const auto problem_of = [this](const golden::candidate::Candidate& implementation) {
    const auto recorded = record_candidate(implementation);
    EXPECT_TRUE(recorded[0].outputs.empty());
    EXPECT_EQ(summarize(recorded).answered, 0u);
    return recorded[0].problem;
  };
  const std::vector<double> one = {1};
  EXPECT_THAT(problem_of([&](const auto&) {
                return std::vector{ref::io::make_tensor("grad_z", {1}, std::span(one))};
              }),
              HasSubstr("unknown tensor 'grad_z'; did you mean 'grad_x'?"));
  EXPECT_THAT(problem_of([&](const auto&) {
                return std::vector{ref::io::make_tensor("y", {1}, std::span(one))};
              }),
              HasSubstr("y has shape [1]; expected ["));
  EXPECT_THAT(problem_of([](const auto&) { return std::vector<StoredTensor>(); }),
              HasSubstr("has no output"));
  EXPECT_EQ(problem_of([](const auto&) -> std::vector<StoredTensor> {
              throw ref::numeric::FileError("it has ended");
            }),
            "it has ended");
}

TEST(RecordingSummary, HoldsMaximumErrorsAndMeansOfMeans) {
  std::vector<RecordedCase> cases(3);
  cases[0].path = "quick/rms_norm/a-2x2-float64";
  cases[0].outputs = {{"y", "float64", 4, "", {4, 1, 0.5, 0.25, 0.125}},
                      {"rstd", "float64", 2, "", {2, 3, 0.25, 0.125, 0.0625}}};
  cases[1].path = "quick/layer_norm/a-2x2-float64";
  cases[1].problem = "none";
  cases[2].path = "quick/batch_norm/a-2x2-float64";
  cases[2].outputs = {{"y", "float64", 4, "", {4, 9, 9, 9, 9}}};
  const Recording recording = summarize(cases);
  EXPECT_EQ(recording.cases, 3u);
  EXPECT_EQ(recording.answered, 2u);
  EXPECT_EQ(recording.outputs, 3u);
  ASSERT_EQ(recording.layers.size(), 2u);
  EXPECT_EQ(recording.layers[0].layer, "batch_norm");
  EXPECT_EQ(recording.layers[1].error, (ErrorStatistics{6, 3, 0.375, 0.25, 0.09375}));
}

}  // namespace
}  // namespace normproof::verification::checks::regression
