#include "verification/golden/gate/check_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/verification/golden/candidate/recorded_outputs.hpp"
#include "verification/golden/candidate/folder_candidate.hpp"

namespace normproof::verification::golden::gate {

using candidate::make_folder_candidate;
using corpus::case_operation_name;
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckCases : public RecordedOutputs {};

TEST_F(CheckCases, ResultIsTheSameForAnyNumberOfJobs) {
  ASSERT_GT(cases_.size(), 10u);
  for (const int jobs : {1, 2}) {
    std::set<std::size_t> told;
    const auto results = check_cases(golden(), cases_, make_folder_candidate(outputs()), {}, jobs,
                                     [&](std::size_t done) { told.insert(done); });
    EXPECT_EQ(count_passed(results), cases_.size());
    EXPECT_EQ(told.size(), cases_.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i].description.path, cases_[i].path);
  }
  EXPECT_EQ(count_passed(check(make_folder_candidate(golden()))), cases_.size());
}

TEST_F(CheckCases, EveryFailureIsExplainedUnlessTheDiagnosisIsSkipped) {
  const candidate::Candidate negated = [&](const certify::StoredCase& stored) {
    std::vector<StoredTensor> answer = reference_output(stored);
    for (StoredTensor& tensor : answer) {
      std::vector<double> values = ref::io::widen(tensor);
      for (double& v : values) v = tensor.name == "y" ? -v : v;
      tensor = make_stored_tensor(tensor.name, tensor.dtype, tensor.shape, values);
    }
    return candidate::CandidateOutput(std::move(answer));
  };
  for (const bool skips : {false, true}) {
    const auto results = check_cases(golden(), cases_, negated, {.skip_diagnosis = skips}, 1, {});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const certify::StoredCase stored = certify::read_case(golden(), cases_[i]);
      const CaseResult alone = check_case(stored, negated(stored).tensors(), {});
      EXPECT_FALSE(results[i].passed()) << cases_[i].path;
      EXPECT_EQ(results[i].diagnosis.empty(), skips) << cases_[i].path;
      ASSERT_EQ(results[i].tensors.size(), alone.tensors.size()) << cases_[i].path;
      for (std::size_t t = 0; t < alone.tensors.size(); ++t) {
        EXPECT_EQ(results[i].tensors[t].failed, alone.tensors[t].failed) << cases_[i].path;
        EXPECT_EQ(results[i].tensors[t].ratio, alone.tensors[t].ratio) << cases_[i].path;
      }
    }
  }
}

TEST_F(CheckCases, UnknownRequestedOutputIsAUsageError) {
  const auto chosen = [&](const std::string& name) {
    return usage_error_message([&] {
      check_cases(golden(), cases_, make_folder_candidate(outputs()), {.outputs = {name}}, 1, {});
    });
  };
  EXPECT_EQ(chosen("y"), "no error");
  EXPECT_EQ(chosen("nu"), "no error");
  EXPECT_THAT(chosen("grad_gama"),
              HasSubstr("unknown output 'grad_gama'; did you mean 'grad_gamma'?"));
}

TEST_F(CheckCases, AFormulaThatNoCaseHasIsAUsageError) {
  const auto chosen = [&](const char* operation, tolerance::Formula formula) {
    std::vector<CaseDescription> cases;
    for (const CaseDescription& description : cases_)
      if (case_operation_name(description.c) == operation) cases.push_back(description);
    return usage_error_message([&] { check_options_exist(cases, {.formula = formula}); });
  };
  EXPECT_EQ(chosen("layer_norm", tolerance::Formula::one_pass), "no error");
  EXPECT_EQ(chosen("layer_norm", tolerance::Formula::stable),
            "formula is stable, which layer_norm does not have; expected two_pass or folded or "
            "one_pass");
  EXPECT_EQ(usage_error_message(
                [&] { check_options_exist(cases_, {.formula = tolerance::Formula::one_pass}); }),
            "no error");
}

TEST_F(CheckCases, ARoundingOfScalesWithoutScalesIsAUsageError) {
  const CheckOptions options{.scale_rounding = corpus::ScaleRounding::up};
  EXPECT_EQ(usage_error_message([&] { check_options_exist({cases_.front()}, options); }),
            "scale_rounding is up, and no case of " + case_operation_name(cases_.front().c) +
                " has scales of blocks; expected floor");
}

TEST_F(CheckCases, ALossDtypeWithoutALossIsAUsageError) {
  const CheckOptions options{.loss_dtype = tolerance::LossDtype::logits};
  EXPECT_EQ(usage_error_message([&] { check_options_exist({cases_.front()}, options); }),
            "loss_dtype is logits, and " + case_operation_name(cases_.front().c) +
                " has no loss; expected wide");
}

TEST_F(CheckCases, DamagedCorpusIsAFileError) {
  fs::remove(golden() / cases_[5].path / "inputs.safetensors");
  EXPECT_THAT(file_error_message([&] { check(make_folder_candidate(outputs())); }),
              HasSubstr(cases_[5].path + "/inputs.safetensors"));
}

TEST_F(CheckCases, IntegerThatDoubleCannotRepresentFailsOnlyItsCase) {
  const auto found = std::ranges::find_if(cases_, [](const CaseDescription& description) {
    return case_operation_name(description.c) == "power_norm";
  });
  ASSERT_NE(found, cases_.end());
  const fs::path file = outputs() / found->path / "expected.safetensors";
  auto tensors = ref::io::read_tensors(file);
  const std::vector<std::int64_t> beyond = {std::int64_t{1} << 60};
  for (StoredTensor& tensor : tensors)
    if (tensor.name == "iterations")
      tensor = ref::io::make_tensor("iterations", tensor.shape, std::span(beyond));
  ref::io::write_tensors(file, tensors);
  const auto results = check(make_folder_candidate(outputs()));
  EXPECT_EQ(count_passed(results), cases_.size() - 1);
  for (const CaseResult& result : results) {
    if (result.passed()) continue;
    EXPECT_THAT(result.problem, HasSubstr("'iterations'"));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::gate
