#include "verification/golden/recipes/rope_corpus.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

TEST(RopeCases, HaveBothPairingsInEveryDtype) {
  std::set<DType> halves, interleaved;
  for (const Case& c : rope_cases(Tier::quick, kCorpusSeed)) {
    if (c.reason == "halves") halves.insert(c.dtype);
    if (c.reason == "interleaved") interleaved.insert(c.dtype);
  }
  EXPECT_EQ(halves.size(), 4u);
  EXPECT_EQ(interleaved.size(), 4u);
}

TEST(RopeCases, AnglesDifferAndLieOnTheUnitCircle) {
  for (const Case& c : rope_cases(Tier::quick, kCorpusSeed)) {
    if (c.reason != "halves" || c.dtype != DType::float64) continue;
    const auto cos = find_tensor_values(c.inputs, "cos"), sin = find_tensor_values(c.inputs, "sin");
    std::set<std::pair<double, double>> angles;
    for (std::size_t i = 0; i < cos.size(); ++i) {
      EXPECT_NEAR(cos[i] * cos[i] + sin[i] * sin[i], 1, 0x1p-50);
      angles.emplace(cos[i], sin[i]);
    }
    EXPECT_EQ(angles.size(), cos.size());
  }
}

TEST(RopeCases, HaveHeadsOf64And128FeaturesInSixteenBits) {
  std::map<Tier, std::set<std::pair<DType, std::size_t>>> heads;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : rope_cases(tier, kCorpusSeed))
      if (c.reason.find("_heads_of_") != std::string::npos)
        heads[tier].emplace(c.dtype, find(c.inputs, "x")->shape.back());
  EXPECT_EQ(heads[Tier::quick],
            (std::set<std::pair<DType, std::size_t>>{{DType::bfloat16, 64}, {DType::float16, 64}}));
  EXPECT_EQ(heads[Tier::standard].size(), 4u);
}

TEST(RopeCases, AreNotInTheFullTier) {
  EXPECT_TRUE(rope_cases(Tier::full, 1).empty());
  EXPECT_FALSE(rope_cases(Tier::standard, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
