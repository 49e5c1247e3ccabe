#include "verification/golden/recipes/scaled_corpus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

TEST(EightBitCases, ExistForOperationsWith8BitKernels) {
  for (const char* operation : {"layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm",
                                "softmax", "silu", "swiglu", "quantize"}) {
    std::set<DType> dtypes;
    for (const Case& c : scaled_cases(Tier::quick, operation, 1)) {
      EXPECT_TRUE(corpus::is_scaled(c)) << case_folder(c);
      dtypes.insert(c.dtype);
    }
    const bool has_int8 = dtypes.erase(DType::int8) == 1;
    EXPECT_EQ(has_int8, std::string_view(operation) != "softmax");
    const bool has_4_bits = dtypes.erase(DType::float4_e2m1fn) == 1;
    EXPECT_EQ(has_4_bits, std::string_view(operation) == "quantize");
    EXPECT_EQ(dtypes, (std::set{DType::float8_e4m3fn, DType::float8_e5m2})) << operation;
    EXPECT_FALSE(scaled_cases(Tier::standard, operation, 1).empty());
    EXPECT_TRUE(scaled_cases(Tier::full, operation, 1).empty());
  }
  EXPECT_TRUE(scaled_cases(Tier::quick, "batch_norm", 1).empty());
}

TEST(EightBitCases, ElementsNearATieAreCloserThanFloat16Resolves) {
  std::size_t seen = 0;
  for (const Case& c : scaled_cases(Tier::quick, "silu", 1)) {
    if (c.reason != "float8_near_ties") continue;
    const double scale = find_tensor_values(c.inputs, "y_scale").at(0);
    for (const double x : find_tensor_values(c.inputs, "x")) {
      const double stored = x / scale;  // silu(x) is nearly x
      EXPECT_NE(round_to_dtype(c.dtype, stored),
                round_to_dtype(c.dtype, round_to_dtype(DType::float16, stored)))
          << stored;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 48u);
}

// y is out of range in one regime only, where the largest number is stored. A conversion that does
// not saturate fails there and nowhere else.
TEST(EightBitCases, YIsOutOfRangeOnlyInTheSaturationRegime) {
  for (const char* operation : {"layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm",
                                "softmax", "silu", "swiglu", "quantize"})
    for (const Case& c : scaled_cases(Tier::quick, operation, kCorpusSeed)) {
      if (corpus::output_scaling(c, "y") != corpus::OutputScaling::given) continue;
      const StoredCase stored = certified(c);
      const double largest = float_format_info(corpus::storage_format(c.dtype)).largest;
      const std::vector<double> y = find_tensor_values(stored.expected, "y");
      const std::vector<double> rest = find_tensor_values(stored.expected, "y_lo");
      bool beyond = false;
      for (std::size_t i = 0; i < y.size(); ++i) beyond |= std::fabs(y[i] + rest[i]) > largest;
      EXPECT_EQ(beyond, c.reason.ends_with("8_saturated")) << case_folder(c);
    }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
