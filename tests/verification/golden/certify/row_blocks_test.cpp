#include "verification/golden/certify/row_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/radius_of_sums.hpp"
#include "verification/golden/certify/user_case.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::error_message;
using ref::numeric::UsageError;
using testing::HasSubstr;

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

/// Returns grad_y with numbers that have no pattern.
StoredTensor grad_y() {
  std::vector<double> values(56);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<double>(i * i)) * (i % 3 == 0 ? 1e3 : 1e-3);
  return make_stored_tensor("grad_y", DType::float64, {7, 2, 4}, values);
}

const Case kCasesWithIndependentRows[] = {
    seven_rows("layer_norm", {kGamma}),
    seven_rows("layer_norm", {kGamma, grad_y()}),
    seven_rows("rms_norm", {grad_y()}),
    seven_rows("group_norm", {kGamma, grad_y()}),
    seven_rows("scale_norm", {grad_y()}),
    seven_rows("dyt", {kGamma, grad_y()}),
    seven_rows("group_scaling"),
    seven_rows("gelu", {grad_y()}),
    seven_rows("softmax", {grad_y()}),
    seven_rows("log_sum_exp"),
    seven_rows("swiglu", {ones("gate"), grad_y()}),
    seven_rows("add_rms_norm", {ones("residual"), kGamma, grad_y()}),
    seven_rows("add_layer_norm", {ones("residual"), kGamma, grad_y(), ones("grad_sum")})};

TEST(CaseInBlocksOfRows, IsCertifiedToTheBitsOfTheWholeCase) {
  for (const Case& c : kCasesWithIndependentRows)
    for (const std::size_t elements : {8, 24, 1000}) {
      const RowBlocks blocks(c, elements);
      EXPECT_EQ(blocks.count(), elements == 8 ? 7u : elements == 24 ? 2u : 1u) << case_folder(c);
      for (const int threads : {1, 3})
        EXPECT_EQ(certify_in_blocks(c, blocks, threads).tensors, certify(c).tensors)
            << case_folder(c) << " " << elements;
    }
}

TEST(CaseInBlocksOfRows, ConsistsOfConsecutiveRows) {
  const Case c = seven_rows("rms_norm", {kGamma, grad_y()});
  const RowBlocks blocks(c, 24);
  EXPECT_EQ(blocks.first_row(0), 0u);
  EXPECT_EQ(blocks.first_row(1), 3u);
  EXPECT_EQ(blocks.first_row(2), 7u);
  const Case second = blocks.block(1);
  EXPECT_EQ(find(second.inputs, "x")->shape, (std::vector<std::size_t>{4, 2, 4}));
  EXPECT_EQ(*find(second.inputs, "gamma"), kGamma);
  EXPECT_EQ(second.inputs, select_rows(c, std::vector<std::size_t>{3, 4, 5, 6}).inputs);
}

// The terms of grad_beta differ by 600 binary digits, and the largest of them cancel.
TEST(CaseInBlocksOfRows, HasExactSumsOverRowsThatCancel) {
  std::vector<double> values(56, 0);
  values[0] = 0x1p+300;
  values[16] = 0x1p-300;
  values[48] = -0x1p+300;
  std::vector<double> x(56);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 4) - 1.5;
  const Case c =
      make_user_case({.name = "rows",
                      .op = "layer_norm",
                      .inputs = {make_stored_tensor("x", DType::float64, {7, 2, 4}, x),
                                 make_stored_tensor("grad_y", DType::float64, {7, 2, 4}, values)}});
  const Expected expected = certify_in_blocks(c, RowBlocks(c, 8), 2);
  EXPECT_EQ(ref::io::widen(*find(expected.tensors, "grad_beta")),
            (std::vector<double>{0x1p-300, 0, 0, 0}));
  EXPECT_EQ(expected.tensors, certify(c).tensors);
  EXPECT_GT(expected.certificate.bits, 600);
}

TEST(CaseInBlocksOfRows, IsTheWholeCaseIfRowsDependOnEachOther) {
  const StoredTensor angles =
      make_stored_tensor("cos", DType::float64, {2, 2}, std::vector<double>(4, 1));
  const StoredTensor sines =
      make_stored_tensor("sin", DType::float64, {2, 2}, std::vector<double>(4, 0));
  for (const Case& c :
       {seven_rows("batch_norm"), seven_rows("power_norm_v"), seven_rows("rope", {angles, sines}),
        layer_norm_case_of_one_and_three("1e-05")})
    EXPECT_EQ(RowBlocks(c, 1).count(), 1u) << case_folder(c);
}

TEST(CaseInBlocksOfRows, StopsIfTheProgressThrows) {
  const Case c = seven_rows("relu");
  std::vector<std::size_t> seen;
  certify_in_blocks(c, RowBlocks(c, 8), 2, [&](std::size_t done, std::size_t of) {
    EXPECT_EQ(of, 7u);
    seen.push_back(done);
  });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 2, 4, 6, 7}));
  EXPECT_THROW(certify_in_blocks(c, RowBlocks(c, 8), 2,
                                 [](std::size_t, std::size_t) { throw UsageError("stop"); }),
               UsageError);
}

TEST(DrawnRows, HaveTheCertifiedValuesOfTheirRows) {
  const std::vector<std::size_t> rows = {1, 4, 6};
  for (const Case& c : kCasesWithIndependentRows) {
    if (corpus::case_operation_name(c) == "group_norm") continue;
    const StoredCase drawn = certify_rows(c, rows, 2);
    const std::vector<StoredTensor> whole = certify(c).tensors;
    const std::vector<StoredTensor> alone = certify(select_rows(c, rows)).tensors;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const std::string name = alone[i].name.substr(0, alone[i].name.find("_lo"));
      if (!is_sum_over_rows(name)) {
        EXPECT_EQ(drawn.expected[i], alone[i]) << case_folder(c);
      }
    }
    for (const auto& [name, radius] : drawn.all_rows->radius) {
      const ExactValues found = exact_values(drawn, name);
      const ExactValues right = exact_values({.description = {}, .expected = whole}, name);
      const std::vector<double> largest_radius = largest_radius_of_sum(c, name);
      for (std::size_t d = 0; d < radius.size(); ++d) {
        if (std::isnan(right.high[d])) {
          EXPECT_TRUE(std::isnan(found.high[d])) << case_folder(c) << name << d;
          continue;
        }
        const double error = (found.high[d] - right.high[d]) + (found.low[d] - right.low[d]);
        EXPECT_LE(std::fabs(error), radius.data()[d]) << case_folder(c) << name << d;
        EXPECT_LE(radius.data()[d], largest_radius[d]) << case_folder(c) << name << d;
      }
    }
  }
}

TEST(DrawnRows, AreRefusedInOneSentence) {
  const auto refused = [](const Case& c, const std::vector<std::size_t>& rows) {
    return error_message<UsageError>([&] { certify_rows(c, rows, 1); });
  };
  const Case c = seven_rows("relu");
  EXPECT_THAT(refused(seven_rows("batch_norm"), {0}),
              HasSubstr("batch_norm does not compute each row independently"));
  EXPECT_THAT(refused(c, {}), HasSubstr("no row is given; expected at least one"));
  EXPECT_THAT(refused(c, {3, 7}), HasSubstr("rows[1] is 7; expected rows below 7"));
  EXPECT_THAT(refused(c, {3, 3}), HasSubstr("rows[1] is 3; expected rows below 7 in ascending"));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
