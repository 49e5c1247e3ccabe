#include "verification/golden/recipes/norm_corpus.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/condition.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_operation_name;
using corpus::Tier;

using certify::condition_number;
namespace {

TEST(NormCases, EveryLayerHasTheRegimesOfItsKind) {
  for (const std::string& layer : ref::model::norm_names()) {
    if (layer == "none") continue;
    std::set<std::string> reasons;
    for (const Case& c : norm_cases(Tier::quick, layer, kCorpusSeed)) {
      EXPECT_EQ(case_operation_name(c), layer);
      reasons.insert(c.reason);
    }
    for (const char* reason :
         {"random", "no_affine", "one_feature", "odd", "last_lane", "exact", "nan_in_grad_y"})
      EXPECT_TRUE(reasons.contains(reason)) << layer << " " << reason;
    for (const char* reason :
         {"one_hot_gradient", "offset_1e2", "offset_1e4", "offset_1e8", "variance_near_eps",
          "large_eps", "near_constant", "constant", "magnitude_1e12", "magnitude_1e-12"})
      EXPECT_EQ(reasons.contains(reason), corpus::has_statistics(layer)) << layer << " " << reason;
    for (const char* reason : {"steep", "near_zero", "saturated", "negative_alpha", "other_alpha0"})
      EXPECT_EQ(reasons.contains(reason), layer == "dyt") << layer << " " << reason;
    // batch_renorm limits its factors by min and max, which may replace a NaN by the other number.
    EXPECT_EQ(reasons.contains("nan_in_x"), layer != "batch_renorm") << layer;
    EXPECT_EQ(reasons.contains("tvm_19592"), layer == "layer_norm") << layer;
  }
}

TEST(NormCases, CasesWithAnOffsetHaveTheConditionNumberInTheirName) {
  double largest = 0;
  for (const Case& c : norm_cases(Tier::quick, "layer_norm", kCorpusSeed)) {
    if (c.reason == "offset_1e4") {
      EXPECT_GT(condition_number(c), 0.5e4);
    }
    if (c.reason == "offset_1e8") largest = condition_number(c);
    if (c.reason == "random") {
      EXPECT_LT(condition_number(c), 10);
    }
  }
  EXPECT_GT(largest, 0.5e8);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
