#include "verification/golden/certify/norm_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/numeric/float_format.hpp"
#include "tests/verification/golden/certify/radius_of_sums.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::any_order_error;
using ref::numeric::AnyOrderArithmetic;
using ref::numeric::Arithmetic;
using ref::numeric::FloatType;

constexpr const char* kNorms[] = {"layer_norm", "rms_norm", "scale_norm", "add_layer_norm",
                                  "add_rms_norm"};

/// Returns the sums over all rows of a case.
std::optional<NormSums> sum_all_rows(const Case& c, const SumArithmetic& arithmetic,
                                     std::size_t elements_per_block = kElementsOfNormSums) {
  return sum_norm_over_blocks(c, RowBlocks(c, elements_per_block), arithmetic, 2, {});
}

/// Checks that the sums and their bounds are those of the evaluation with any_order_error.
void expect_sums_of_evaluation(const Case& c, const Arithmetic& arithmetic) {
  const std::optional<NormSums> sums = sum_all_rows(c, {.arithmetic = arithmetic});
  ASSERT_TRUE(sums.has_value()) << case_folder(c);
  const AnyOrderArithmetic scope(arithmetic);
  const auto evaluated = checks::evaluation::run_operation<any_order_error>(
      c.options, recipes::inputs_of(c), c.sequence);
  const double slack = slack_of_norm_sums(c, arithmetic.unit_roundoff);
  std::size_t count = 0;
  for (const auto& [name, elements] : evaluated) {
    if (!is_sum_over_rows(name)) continue;
    ++count;
    const auto own = std::ranges::find(sums->sums(), name, &SumsOverRows::name);
    ASSERT_NE(own, sums->sums().end()) << case_folder(c) << " " << name;
    ASSERT_EQ(own->value.size(), elements.size()) << case_folder(c) << " " << name;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double bound = sums->error(*own, i), expected = elements.data()[i].error;
      EXPECT_LE(std::fabs(own->value[i] - elements.data()[i].value), bound) << name << " " << i;
      EXPECT_LE(bound, expected * slack) << case_folder(c) << " " << name << " " << i;
      EXPECT_GE(bound * slack, expected) << case_folder(c) << " " << name << " " << i;
    }
  }
  EXPECT_EQ(count, sums->sums().size()) << case_folder(c);
}

TEST(NormSums, HaveTheBoundsOfTheEvaluation) {
  for (const char* const op : kNorms)
    for (const FloatType type : {FloatType::float64, FloatType::float32})
      for (const bool folded : {false, true}) {
        Arithmetic arithmetic = arithmetic_of_type(type);
        arithmetic.folded = folded;
        for (const std::size_t width : {3, 7, 64})
          expect_sums_of_evaluation(plain_recipe(op, {40, width}, DType::float32).make(1),
                                    arithmetic);
        expect_sums_of_evaluation(plain_recipe(op, {3, 5, 24}, DType::bfloat16).make(2),
                                  arithmetic);
      }
}

TEST(NormSums, HaveTheBoundsOfTheEvaluationForZerosAndNumbersOfAllSizes) {
  for (const char* const op : {"layer_norm", "rms_norm", "scale_norm"}) {
    const auto expect = [&](auto number) {
      expect_sums_of_evaluation(plain_recipe(op, {12, 20}, DType::float32).x(number).make(3),
                                arithmetic_of_type(FloatType::float32));
    };
    expect([](std::size_t i, double normal) { return i % 3 == 0 ? 0 : normal; });
    expect([](std::size_t i, double normal) { return normal * (i % 7 == 0 ? 1e6 : 1e-6); });
    expect([](std::size_t i, double normal) { return i / 20 == 4 ? 0 : normal; });
    expect([](std::size_t, double normal) { return 1e3 + normal; });
    // eps is much larger than the squares, and may be added to them in any order.
    expect([](std::size_t, double normal) { return 1e-5 * normal; });
  }
}

TEST(NormSums, AreWithinTheirErrorsOfTheExactSumsInEveryDivisionIntoBlocks) {
  const SumArithmetic in_order{.arithmetic = arithmetic_of_type(FloatType::float64),
                               .any_order = false};
  for (const char* const op : kNorms) {
    const Case c = plain_recipe(op, {50, 12}, DType::float32).make(4);
    const StoredCase certified{.description = {}, .expected = certify(c).tensors};
    for (const std::size_t elements : {12, 100, 10000}) {
      const std::optional<NormSums> sums = sum_all_rows(c, in_order, elements);
      ASSERT_TRUE(sums.has_value()) << op;
      for (const SumsOverRows& sum : sums->sums()) {
        const ExactValues exact = exact_values(certified, sum.name);
        const std::vector<double> largest = largest_radius_of_norm_sum(c, sum.name);
        for (std::size_t i = 0; i < sum.value.size(); ++i) {
          const double away = std::fabs((sum.value[i] - exact.high[i]) - exact.low[i]);
          EXPECT_LE(away, sums->error(sum, i)) << op << " " << sum.name << " " << i;
          EXPECT_LE(sums->error(sum, i), largest[i]) << op << " " << sum.name << " " << i;
        }
      }
    }
  }
}

TEST(NormSums, AreAbsentIfAnInputIsNotFiniteOrANumberMayOverflow) {
  const auto has_sums = [](DType dtype, FloatType type, double special) {
    const Case c = plain_recipe("layer_norm", {40, 8}, dtype)
                       .x([=](std::size_t i, double v) { return i == 100 ? special : v; })
                       .make(1);
    return sum_all_rows(c, {.arithmetic = arithmetic_of_type(type)}).has_value();
  };
  EXPECT_TRUE(has_sums(DType::float64, FloatType::float64, 1e100));
  EXPECT_FALSE(has_sums(DType::float64, FloatType::float64, kGoldenNaN));
  EXPECT_FALSE(
      has_sums(DType::float64, FloatType::float64, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(has_sums(DType::float64, FloatType::float64, 1e200));
  EXPECT_TRUE(has_sums(DType::float32, FloatType::float32, 1e15));
  EXPECT_FALSE(has_sums(DType::float32, FloatType::float32, 1e25));
}

TEST(NormSums, SupportNormsOfRowsWhoseInputsTheArithmeticCanRepresent) {
  const auto is_supported = [](const char* op, DType dtype, FloatType type) {
    return has_norm_sums(plain_recipe(op, {4, 8}, dtype).make(1), arithmetic_of_type(type));
  };
  EXPECT_TRUE(is_supported("layer_norm", DType::bfloat16, FloatType::float32));
  EXPECT_FALSE(is_supported("layer_norm", DType::float32, FloatType::bfloat16));
  EXPECT_FALSE(is_supported("layer_norm", DType::bfloat16, FloatType::float16));
  EXPECT_FALSE(is_supported("dyt", DType::float32, FloatType::float32));
  EXPECT_FALSE(is_supported("group_norm", DType::float32, FloatType::float32));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
