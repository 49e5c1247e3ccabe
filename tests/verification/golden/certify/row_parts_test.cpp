#include "verification/golden/certify/row_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/user_case.hpp"

namespace normproof::verification::golden::certify {
namespace {

using testing::SizeIs;

/// Returns a case of seven rows with the input x and the inputs in `others`. It has no gradients
/// unless `others` has grad_y.
Case seven_rows(const std::string& op, std::vector<StoredTensor> others = {}) {
  std::vector<double> values(7 * 2 * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + 0.37 * static_cast<double>(i);
  values[9] = kGoldenNaN;
  others.push_back(make_stored_tensor("x", DType::float64, {7, 2, 4}, values));
  return make_user_case({.name = "rows", .op = op, .inputs = std::move(others)});
}

StoredTensor ones(const std::string& name) {
  return make_stored_tensor(name, DType::float64, {7, 2, 4}, std::vector<double>(56, 1));
}

const StoredTensor kGamma =
    make_stored_tensor("gamma", DType::float64, {4}, std::vector<double>{1, 2, 3, 4});

TEST(CaseSplitByRows, IsCertifiedToTheValuesOfTheWholeCase) {
  for (const Case& c :
       {seven_rows("layer_norm", {kGamma}), seven_rows("rms_norm"), seven_rows("dyt", {kGamma}),
        seven_rows("group_scaling"), seven_rows("gelu", {ones("grad_y")}),
        seven_rows("log_sum_exp"), seven_rows("swiglu", {ones("gate"), ones("grad_y")}),
        seven_rows("add_rms_norm", {ones("residual"), kGamma})}) {
    const std::vector<Case> parts = split_into_row_parts(c, 3);
    ASSERT_THAT(parts, SizeIs(3)) << case_folder(c);
    EXPECT_EQ(find(parts[0].inputs, "x")->shape[0], 2u);
    EXPECT_EQ(find(parts[2].inputs, "x")->shape[0], 3u);
    std::vector<std::vector<StoredTensor>> outputs;
    for (const Case& part : parts) outputs.push_back(certify(part).tensors);
    EXPECT_EQ(join_parts(outputs), certify(c).tensors) << case_folder(c);
    EXPECT_EQ(certify_user_case(c, 4).expected, certify_user_case(c, 1).expected) << case_folder(c);
  }
}

TEST(CaseSplitByRows, IsNotPossibleIfRowsDependOnEachOther) {
  const StoredTensor angles =
      make_stored_tensor("cos", DType::float64, {2, 2}, std::vector<double>(4, 1));
  const StoredTensor sines =
      make_stored_tensor("sin", DType::float64, {2, 2}, std::vector<double>(4, 0));
  for (const Case& c :
       {seven_rows("batch_norm"), seven_rows("group_norm"), seven_rows("power_norm_v"),
        seven_rows("layer_norm", {ones("grad_y")}), seven_rows("rope", {angles, sines}),
        seven_rows("add_rms_norm", {ones("residual"), ones("grad_y"), kGamma})})
    EXPECT_THAT(split_into_row_parts(c, 3), SizeIs(1)) << case_folder(c);
  EXPECT_THAT(split_into_row_parts(seven_rows("relu"), 1), SizeIs(1));
  EXPECT_THAT(split_into_row_parts(seven_rows("relu"), 100), SizeIs(7));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
