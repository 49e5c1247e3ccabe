#include "verification/golden/recipes/quantize_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "ref/model/operation_info.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::OutputScaling;

std::vector<Case> quick_cases(const char* operation) {
  return quantize_cases(Tier::quick, operation, kCorpusSeed);
}

TEST(QuantizeCases, AreTheOnlyCasesOfTheirOperations) {
  for (const char* operation : {"quantize", "dequantize"}) {
    EXPECT_TRUE(is_quantization(operation));
    for (const Tier tier : {Tier::quick, Tier::standard, Tier::full}) {
      EXPECT_TRUE(function_cases(tier, operation, 1).empty());
      EXPECT_TRUE(block_cases(tier, operation, 1).empty());
      EXPECT_TRUE(model_width_cases(tier, operation, 1).empty());
      EXPECT_EQ(scaled_cases(tier, operation, 1).empty(), tier == Tier::full);
    }
  }
  EXPECT_FALSE(is_quantization("silu"));
}

TEST(QuantizeCases, HaveEveryKindOfScaleAndEveryDtypeOfX) {
  std::set<OutputScaling> kinds;
  std::set<DType> x;
  bool of_tensor = false;
  for (const Case& c : quick_cases("quantize")) {
    EXPECT_TRUE(corpus::stores_8_bits(c)) << case_folder(c);
    kinds.insert(corpus::output_scaling(c, "y"));
    x.insert(corpus::find(c.inputs, "x")->dtype);
    of_tensor |= corpus::has_one_scale_of_y(c);
  }
  EXPECT_EQ(kinds, (std::set{OutputScaling::given, OutputScaling::blocks, OutputScaling::groups,
                             OutputScaling::blocks_of_tensor}));
  EXPECT_EQ(x, (std::set{DType::float32, DType::float16, DType::bfloat16}));
  EXPECT_TRUE(of_tensor);
}

TEST(QuantizeCases, DequantizeHasEveryDtypeOfYAndEveryKindOfScale) {
  std::set<DType> y, x;
  std::set<std::string> scales;
  for (const Case& c : quick_cases("dequantize")) {
    EXPECT_TRUE(corpus::is_scaled(c)) << case_folder(c);
    EXPECT_FALSE(corpus::stores_8_bits(c)) << case_folder(c);
    y.insert(c.dtype);
    x.insert(corpus::find(c.inputs, "x")->dtype);
    const corpus::StoredTensor& scale = *corpus::find(c.inputs, "x_scale");
    scales.insert(scale.dtype == DType::float8_e8m0fnu  ? "blocks"
                  : scale.dtype == DType::float8_e4m3fn ? "blocks of a tensor"
                  : scale.shape.size() == 1             ? "one"
                                                        : "groups");
  }
  EXPECT_EQ(y, (std::set{DType::float32, DType::float16, DType::bfloat16}));
  EXPECT_TRUE(x.contains(DType::float8_e4m3fn) && x.contains(DType::float8_e5m2));
  EXPECT_EQ(scales, (std::set<std::string>{"blocks", "blocks of a tensor", "groups", "one"}));
}

TEST(QuantizeCases, HaveNoGradients) {
  for (const char* operation : {"quantize", "dequantize"})
    for (const Case& c : quick_cases(operation))
      EXPECT_EQ(corpus::find(c.inputs, "grad_y"), nullptr) << case_folder(c);
}

TEST(QuantizeCases, TiesLieBetweenTwoNumbersAndRoundBothWays) {
  std::size_t up = 0, down = 0;
  for (const Case& c : quick_cases("quantize")) {
    if (!c.reason.ends_with("_ties") || c.reason.ends_with("near_ties")) continue;
    const StoredCase stored = certified(c);
    const std::vector<double> y = find_tensor_values(stored.expected, "y");
    const std::vector<double> rest = find_tensor_values(stored.expected, "y_lo");
    for (std::size_t i = 0; i < y.size(); ++i) {
      // A number that is rounded away from 0 leaves a rest of the opposite sign.
      if (rest[i] == 0) continue;
      (std::signbit(rest[i]) != std::signbit(y[i]) ? up : down) += 1;
    }
  }
  EXPECT_GT(up, 20u);
  EXPECT_GT(down, 20u);
}

TEST(QuantizeCases, EveryFiniteNumberOfAFormatIsDequantized) {
  for (const Case& c : quick_cases("dequantize")) {
    if (!c.reason.ends_with("_every_number")) continue;
    const corpus::StoredTensor& x = *corpus::find(c.inputs, "x");
    std::set<double> numbers;
    for (const double v : ref::io::widen(x)) numbers.insert(v);
    // 0 and -0 count as one number.
    const std::size_t finite = x.dtype == DType::float8_e4m3fn ? 253
                               : x.dtype == DType::float8_e5m2 ? 247
                                                               : 255;
    EXPECT_EQ(numbers.size(), finite) << case_folder(c);
  }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
