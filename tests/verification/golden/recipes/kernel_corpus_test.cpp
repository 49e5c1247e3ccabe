#include "verification/golden/recipes/kernel_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ref/model/norm_layers.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::set<std::size_t> collect_widths(const std::vector<Case>& cases, const std::string& reason) {
  std::set<std::size_t> widths;
  for (const Case& c : cases)
    if (c.reason == reason) widths.insert(corpus::find(c.inputs, "x")->shape.back());
  return widths;
}

TEST(KernelCases, HaveEveryWidthNextToAPowerOfTwo) {
  auto widths = collect_widths(kernel_cases(Tier::quick, "layer_norm", kCorpusSeed), "block_edge");
  EXPECT_THAT(widths, IsSupersetOf({31, 63, 64, 65, 127, 128, 129, 257, 513, 1025}));
  widths.merge(
      collect_widths(kernel_cases(Tier::standard, "layer_norm", kCorpusSeed), "block_edge"));
  EXPECT_THAT(widths, IsSupersetOf({255, 256, 511, 512, 1023, 1024, 4097, 8193}));
  EXPECT_THAT(collect_widths(function_cases(Tier::quick, "softmax", kCorpusSeed), "block_edge"),
              IsSupersetOf({31, 257}));
}

TEST(KernelCases, VaryTheRowsForBatchNorm) {
  const auto cases = kernel_cases(Tier::quick, "batch_norm", kCorpusSeed);
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& c) {
    return c.reason == "block_edge" && corpus::find(c.inputs, "x")->shape.front() == 257;
  }));
  EXPECT_THAT(collect_widths(cases, "wide_row"), IsEmpty());
}

TEST(KernelCases, OmitBetaButNeverGamma) {
  for (const Case& c : kernel_cases(Tier::quick, "rms_norm", kCorpusSeed)) {
    if (c.reason == "subnormal_x") continue;  // beta would hide x
    EXPECT_EQ(corpus::find(c.inputs, "beta") == nullptr, c.reason == "gamma_alone");
    EXPECT_NE(corpus::find(c.inputs, "gamma"), nullptr);
  }
}

TEST(KernelCases, ZeroCenteredGammaIsNearZeroAndSometimesZero) {
  std::size_t found = 0;
  for (const Case& c : kernel_cases(Tier::quick, "rms_norm", kCorpusSeed)) {
    if (c.reason != "zero_centred_gamma") continue;
    ++found;
    EXPECT_TRUE(ref::model::has_zero_centered_gamma(std::get<ref::model::NormOptions>(c.options)));
    const auto gamma = ref::io::widen(*corpus::find(c.inputs, "gamma"));
    EXPECT_EQ(gamma[0], 0);
    for (const double v : gamma) EXPECT_LT(std::abs(v), 1);
  }
  EXPECT_EQ(found, 2u);
}

TEST(KernelCases, DoNotExistForLayersWithoutStatistics) {
  EXPECT_THAT(kernel_cases(Tier::quick, "dyt", kCorpusSeed), IsEmpty());
  EXPECT_TRUE(block_edge_extents(Tier::full).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
