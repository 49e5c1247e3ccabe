#include "verification/golden/recipes/four_bit_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::OutputScaling;

std::vector<Case> quick_cases(const char* operation) {
  return four_bit_cases(Tier::quick, operation, kCorpusSeed);
}

/// Returns the case of quantize of that regime.
Case quantize_case(std::string_view reason) {
  const std::vector<Case> cases = quick_cases("quantize");
  return *std::ranges::find(cases, reason, &Case::reason);
}

std::vector<double> expected_scales(std::string_view reason) {
  return find_tensor_values(certified(quantize_case(reason)).expected, "y_scale");
}

TEST(FourBitCases, HaveTheScalesOfMxfp4OrOfNvfp4AndWholeBytes) {
  std::set<OutputScaling> kinds;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : four_bit_cases(tier, "quantize", kCorpusSeed)) {
      EXPECT_EQ(c.dtype, DType::float4_e2m1fn);
      const OutputScaling scaling = corpus::output_scaling(c, "y");
      EXPECT_EQ(scaling == OutputScaling::blocks_of_tensor, c.reason.starts_with("nvfp4"));
      kinds.insert(scaling);
      EXPECT_EQ(corpus::find(c.inputs, "x")->shape.back() % 2, 0u) << case_folder(c);
      EXPECT_EQ(corpus::find(c.inputs, "grad_y"), nullptr);
    }
  EXPECT_EQ(kinds, (std::set{OutputScaling::blocks, OutputScaling::blocks_of_tensor}));
}

TEST(FourBitCases, DequantizeHasEveryDtypeOfY) {
  std::set<std::pair<std::string, DType>> seen;
  for (const Case& c : quick_cases("dequantize")) {
    EXPECT_EQ(corpus::find(c.inputs, "x")->dtype, DType::float4_e2m1fn);
    seen.insert({c.reason.substr(0, 5), c.dtype});
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(FourBitCases, EveryCodeIsDequantizedInBothHalvesOfAByte) {
  std::size_t cases = 0;
  for (const Case& c : quick_cases("dequantize")) {
    if (!c.reason.ends_with("_every_code")) continue;
    ++cases;
    std::set<std::pair<std::size_t, std::byte>> seen;
    const corpus::StoredTensor& x = *corpus::find(c.inputs, "x");
    for (std::size_t i = 0; i < x.bytes.size(); ++i) seen.insert({i % 2, x.bytes[i]});
    EXPECT_EQ(seen.size(), 32u) << case_folder(c);
  }
  EXPECT_EQ(cases, 2u);
}

TEST(FourBitCases, TiesRoundBothWays) {
  const StoredCase stored = certified(quantize_case("mxfp4_ties"));
  const std::vector<double> y = find_tensor_values(stored.expected, "y");
  const std::vector<double> rest = find_tensor_values(stored.expected, "y_lo");
  std::size_t up = 0, down = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (rest[i] != 0) ++(std::fabs(y[i] + rest[i]) < std::fabs(y[i]) ? up : down);
  EXPECT_GT(up, 20u);
  EXPECT_GT(down, 20u);
}

TEST(FourBitCases, ScalesOfNvfp4ReachBothEndsOfE4m3) {
  const std::vector<double> small = expected_scales("nvfp4_small_blocks");
  EXPECT_TRUE(std::ranges::any_of(small, [](double v) { return v > 0 && v < 0x1p-6; }));
  const std::vector<double> saturated = expected_scales("nvfp4_saturated_scales");
  EXPECT_NE(std::ranges::find(saturated, 448), saturated.end());
  EXPECT_NE(*std::ranges::min_element(saturated), 448);
}

TEST(FourBitCases, ScalesOfMxfp4ReachTheLeastOne) {
  const std::vector<double> scales = expected_scales("mxfp4_magnitudes");
  EXPECT_NE(std::ranges::find(scales, 0x1p-127), scales.end());
  EXPECT_GT(*std::ranges::max_element(scales), 0x1p110);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
