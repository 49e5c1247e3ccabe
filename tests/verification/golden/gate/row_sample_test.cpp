#include "verification/golden/gate/row_sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<StoredTensor>& tensors) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

/// Returns the outputs of the reference with one wrong element in `output`.
std::vector<StoredTensor> with_error(const StoredCase& stored, const std::string& output,
                                     std::size_t at) {
  const auto right = reference_output(stored);
  return replace_element(right, output, at, 8);
}

TEST(RowSample, HasTheRowsInWhichElementsFailed) {
  const StoredCase stored =
      certified(plain_recipe("layer_norm", {12, 1024}, DType::float32).make(1));
  const auto answer = with_error(stored, "grad_x", 7 * 1024 + 5);
  const auto sample = sample_failing_rows(stored, answer, check_case(stored, answer, {}));
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(find(sample->stored.description.c.inputs, "x")->shape,
            (std::vector<std::size_t>{4, 1024}));
  EXPECT_THAT(
      names_of(sample->stored.expected),
      ElementsAre("grad_x", "grad_x_lo", "mean", "mean_lo", "rstd", "rstd_lo", "y", "y_lo"));
  EXPECT_THAT(names_of(sample->answer), ElementsAre("grad_x", "mean", "rstd", "y"));
  const CaseResult result = check_case(sample->stored, sample->answer, {});
  for (const TensorResult& tensor : result.tensors)
    EXPECT_EQ(tensor.failed.size(), tensor.name == "grad_x" ? 1u : 0u) << tensor.name;
}

TEST(RowSample, IsAbsentIfTheWholeCaseIsDiagnosed) {
  const auto is_sampled = [](const char* op, std::vector<std::size_t> shape,
                             const std::string& output) {
    const StoredCase stored = certified(plain_recipe(op, shape, DType::float32).make(1));
    const auto answer = with_error(stored, output, 1);
    return sample_failing_rows(stored, answer, check_case(stored, answer, {})).has_value();
  };
  EXPECT_TRUE(is_sampled("softmax", {9, 512}, "y"));
  EXPECT_FALSE(is_sampled("softmax", {8, 512}, "y"));
  EXPECT_FALSE(is_sampled("batch_norm", {9, 512}, "y"));
  EXPECT_FALSE(is_sampled("rms_norm", {9, 512}, "grad_gamma"));
  EXPECT_FALSE(is_sampled("rms_norm", {1, 4608}, "y"));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
