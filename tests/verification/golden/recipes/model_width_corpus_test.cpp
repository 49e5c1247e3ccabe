#include "verification/golden/recipes/model_width_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::DType;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

/// Returns the names of all norm layers and of all functions that compute each row separately.
std::vector<std::string> list_operations_by_rows() {
  std::vector<std::string> names;
  for (const std::string& name : ref::model::norm_names())
    if (name != "none") names.push_back(name);
  for (const std::string& name : ref::model::function_names())
    if (ref::model::operation_info(name).is_computed_per_row() && !is_quantization(name))
      names.push_back(name);
  return names;
}

std::map<DType, std::set<std::size_t>> collect_model_widths(Tier tier, const std::string& name) {
  std::map<DType, std::set<std::size_t>> widths;
  for (const Case& c : model_width_cases(tier, name, kCorpusSeed)) {
    EXPECT_EQ(c.tier, tier);
    EXPECT_EQ(c.reason, "whole_vectors");
    widths[c.dtype].insert(corpus::find(c.inputs, "x")->shape.back());
  }
  return widths;
}

bool has_statistics_per_feature(const std::string& name) {
  return ref::model::operation_info(name).kind == ref::model::OperationKind::layer &&
         corpus::has_statistics_over_rows(name);
}

TEST(ModelWidthCases, QuickTierHasSixtyFourFeaturesForEveryOperationByRows) {
  std::size_t seen = 0;
  for (const std::string& name : list_operations_by_rows()) {
    if (has_statistics_per_feature(name)) continue;
    ++seen;
    EXPECT_THAT(collect_model_widths(Tier::quick, name)[DType::bfloat16], ElementsAre(64)) << name;
  }
  EXPECT_GT(seen, 15u);
  for (const char* name : {"layer_norm", "rms_norm", "softmax"})
    EXPECT_THAT(collect_model_widths(Tier::quick, name)[DType::float16], ElementsAre(64)) << name;
}

TEST(ModelWidthCases, QuickTierHas128ChannelsForBatchNorm) {
  EXPECT_THAT(collect_model_widths(Tier::quick, "batch_norm")[DType::bfloat16], ElementsAre(128));
  EXPECT_THAT(model_width_cases(Tier::quick, "power_norm", kCorpusSeed), IsEmpty());
}

TEST(ModelWidthCases, StandardTierHasEveryWidthForEveryOperation) {
  for (const std::string& name : list_operations_by_rows()) {
    auto widths = collect_model_widths(Tier::standard, name);
    EXPECT_THAT(widths[DType::bfloat16], ElementsAreArray(kModelWidths)) << name;
    EXPECT_THAT(widths[DType::float16], IsSupersetOf({64, 256, 1024, 4096})) << name;
  }
}

TEST(ModelWidthCases, WidthsAreWholeVectorsOfSixteenBytes) {
  for (const std::size_t width : kModelWidths) EXPECT_EQ(width % 8, 0u) << width;
  for (const std::size_t width : kHeadWidths) EXPECT_EQ(width % 8, 0u) << width;
}

TEST(ModelWidthCases, FullTierHasMoreThanTwoToTheTwentyElements) {
  for (const char* name : {"relu", "layer_norm"}) {
    std::set<DType> dtypes;
    for (const Case& c : model_width_cases(Tier::full, name, kCorpusSeed)) {
      const auto& shape = corpus::find(c.inputs, "x")->shape;
      EXPECT_GT(shape[0] * shape[1], std::size_t{1} << 20);
      dtypes.insert(c.dtype);
    }
    EXPECT_EQ(dtypes, (std::set{DType::float32, DType::bfloat16})) << name;
  }
}

TEST(ModelWidthCases, DoNotExistForAttentionEncodersAndOptimizers) {
  for (const char* name :
       {"attention", "merge_attention_states", "cross_entropy", "rope", "encoder", "adam"})
    EXPECT_THAT(model_width_cases(Tier::standard, name, kCorpusSeed), IsEmpty()) << name;
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
