#include "verification/golden/gate/less_accurate_classes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/gate/wrong_kernel.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/gate/diagnose.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

std::vector<StoredTensor> with_relative_error(const StoredCase& stored, double error) {
  auto answer = reference_output(stored);
  for (StoredTensor& tensor : answer) {
    std::vector<double> values = ref::io::widen(tensor);
    for (double& value : values) value *= 1 + error;
    tensor = make_stored_tensor(tensor.name, DType::float64, tensor.shape, values);
  }
  return answer;
}

std::vector<Diagnosis> lower_precision(const StoredCase& stored,
                                       const std::vector<StoredTensor>& answer) {
  return diagnose_lower_precision(stored, answer, check_case(stored, answer, {}));
}

TEST(LessAccurateClasses, NameAFormatOnlyForAnErrorOfItsSize) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {5, 64}, DType::bfloat16).make(1));
  const auto coarse = lower_precision(stored, run_with_sums_in(stored, Accumulation::bfloat16));
  ASSERT_THAT(coarse, SizeIs(1));
  EXPECT_THAT(coarse[0].sentence(),
              MatchesRegex("no farther off than sums in bfloat16 may be \\(the largest error is "
                           "[0-9.]+ % of that\\)"));
}

TEST(LessAccurateClasses, NameNoFormatForAnErrorMuchSmallerThanThoseOfTheFormat) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {5, 8}, DType::float32).make(1));
  EXPECT_THAT(lower_precision(stored, with_relative_error(stored, 0x1p-19)), IsEmpty());
}

TEST(LessAccurateClasses, NameNoFormatIfTheErrorIsManyTimesThatOfItsSums) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {5, 64}, DType::float32).make(1));
  auto answer = run_with_sums_in(stored, Accumulation::float16);
  EXPECT_THAT(lower_precision(stored, answer), SizeIs(1));
  const StoredTensor& y = *corpus::find(answer, "y");
  const auto largest = change_output(
      answer, "y", [&](double v, std::size_t i) { return i == 7 ? v * (1 + 0x1p-5) : v; });
  EXPECT_GT(std::fabs(ref::io::widen(y)[7]), 0.01);
  EXPECT_THAT(lower_precision(stored, largest), IsEmpty());
}

TEST(LessAccurateClasses, NameNoFormatIfAnOutputIsAbsentOrHasAnotherShape) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {5, 64}, DType::float32).make(1));
  const auto coarse = run_with_sums_in(stored, Accumulation::float16);
  auto absent = coarse, flat = coarse;
  std::erase_if(absent, [](const StoredTensor& tensor) { return tensor.name == "grad_x"; });
  EXPECT_THAT(lower_precision(stored, absent), IsEmpty());
  for (StoredTensor& tensor : flat)
    if (tensor.name == "grad_x") tensor.shape = {320};
  EXPECT_THAT(lower_precision(stored, flat), IsEmpty());
}

TEST(LessAccurateClasses, NameNoFormatIfAnotherOutputIsRight) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {5, 8}, DType::float32).make(1));
  auto answer = with_relative_error(stored, 0x1p-11);
  const auto right = reference_output(stored);
  for (StoredTensor& tensor : answer)
    if (tensor.name == "y") tensor = *corpus::find(right, "y");
  EXPECT_THAT(lower_precision(stored, answer), IsEmpty());
}

TEST(LessAccurateClasses, NameNoFormatWhoseErrorsAreSmaller) {
  // Each element has a share of the errors that the bound of float16 allows, and much more than
  // sums in float16 have.
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 64}, DType::float32).make(1));
  EXPECT_THAT(lower_precision(stored, with_relative_error(stored, 0x1p-6)), IsEmpty());
}

TEST(LessAccurateClasses, NameNoSumsOfAnOperationWithoutSums) {
  const StoredCase stored = certified(plain_recipe("gelu", {5, 8}, DType::float32).make(1));
  EXPECT_THAT(lower_precision(stored, with_relative_error(stored, 0x1p-11)), IsEmpty());
}

TEST(LessAccurateClasses, NameTheFoldedFormAndNotTheMistakeWithTheSameBits) {
  // Far from 0, x r - m r in float32 is a multiple of the spacing of x, as is x - m. The rounding
  // hides eps, and the output has the bits of a formula without eps.
  std::vector<double> x;
  for (int i = 0; i < 32; ++i) x.push_back(1000 + (i % 7 - 3) * 0.5 + i * 0x1p-9);
  const auto tensor = [](const char* name, std::vector<std::size_t> shape,
                         const std::vector<double>& values) {
    return make_stored_tensor(name, DType::float32, std::move(shape), values);
  };
  const StoredCase stored = certify::certify_user_case(
      certify::make_user_case(
          {.name = "folded",
           .op = "batch_norm",
           .mode = "inference",
           .options = certify::parse_user_options("{\"eps\": \"1e-05\"}"),
           .sequence = false,
           .inputs = {tensor("x", {8, 4}, x), tensor("running_mean", {4}, {1000, 1000, 1000, 1000}),
                      tensor("running_variance", {4}, {1, 1, 1, 1})}}),
      false);
  const float r = 1 / std::sqrt(1.0F + 1e-5F);
  std::vector<double> y;
  for (const double v : x) y.push_back(double{static_cast<float>(v) * r - 1000.0F * r});
  const std::vector<StoredTensor> answer = {tensor("y", {8, 4}, y)};
  const CheckOptions only_y{.outputs = {"y"}};
  const CaseResult result = check_case(stored, answer, only_y);
  ASSERT_FALSE(result.passed());
  std::vector<std::string> names;
  for (const Diagnosis& found : diagnose(stored, answer, result, only_y))
    names.push_back(found.what);
  EXPECT_THAT(names, ElementsAre("the folded form x r - m r for (x - m) r"));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
