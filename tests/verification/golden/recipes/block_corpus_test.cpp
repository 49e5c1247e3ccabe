#include "verification/golden/recipes/block_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "ref/io/stored_tensor.hpp"
#include "ref/model/norm_options.hpp"
#include "ref/model/operation.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

struct BlockExtents {
  std::set<std::size_t> rows, features;
};
BlockExtents collect_block_extents(Tier tier, const std::string& operation) {
  BlockExtents found;
  for (const Case& c : block_cases(tier, operation, kCorpusSeed)) {
    const auto& shape = corpus::find(c.inputs, "x")->shape;
    if (c.reason == "block_rows")
      found.rows.insert(shape[shape.size() - 2]);
    else
      found.features.insert(shape.back());
  }
  return found;
}

TEST(BlockExtentCases, RowwiseLayersHaveEveryBlockEdgeAsRowCount) {
  for (const char* operation : {"layer_norm", "rms_norm", "add_rms_norm", "softmax", "swiglu"}) {
    const BlockExtents all = collect_block_extents(Tier::standard, operation);
    EXPECT_THAT(all.rows, ElementsAreArray(kBlockEdges)) << operation;
    EXPECT_THAT(all.features, ElementsAre(32)) << operation;
  }
}

TEST(BlockExtentCases, LayersOverRowsHaveEveryBlockEdgeAsFeatureCount) {
  const BlockExtents of_batch = collect_block_extents(Tier::standard, "batch_norm");
  EXPECT_THAT(of_batch.features, ElementsAreArray(kBlockEdges));
  EXPECT_THAT(of_batch.rows, ElementsAre(32));
  const BlockExtents of_power = collect_block_extents(Tier::standard, "power_norm");
  EXPECT_THAT(of_power.features, ElementsAreArray(kBlockEdges));
  EXPECT_THAT(of_power.rows, ElementsAre(31, 32, 63, 64, 65, 127, 128, 129, 257));
  const BlockExtents of_dyt = collect_block_extents(Tier::standard, "dyt");
  EXPECT_THAT(of_dyt.features, ElementsAreArray(kBlockEdges));
  EXPECT_THAT(of_dyt.rows, ElementsAreArray(kBlockEdges));
}

TEST(BlockExtentCases, QuickTierHasWholeBlocksOfRowsForEveryOperation) {
  EXPECT_THAT(collect_block_extents(Tier::quick, "layer_norm").rows, Contains(256));
  EXPECT_THAT(collect_block_extents(Tier::quick, "add_layer_norm").rows, ElementsAre(128));
  for (const auto& names : {ref::model::norm_names(), ref::model::function_names()})
    for (const std::string& name : names) {
      if (name == "none" || name == "attention" || name == "cross_entropy" || name == "rope" ||
          name == "merge_attention_states" || is_quantization(name))
        continue;
      const auto rows = collect_block_extents(Tier::quick, name).rows;
      EXPECT_TRUE(std::ranges::any_of(rows, [](std::size_t n) { return n % 32 == 0; })) << name;
    }
}

TEST(BlockExtentCases, DoNotExistForAttentionEncodersAndOptimizers) {
  for (const char* operation :
       {"attention", "merge_attention_states", "cross_entropy", "rope", "encoder", "adam"})
    EXPECT_THAT(block_cases(Tier::standard, operation, kCorpusSeed), IsEmpty()) << operation;
  EXPECT_THAT(block_cases(Tier::full, "layer_norm", kCorpusSeed), IsEmpty());
}

TEST(BlockExtentCases, EachExtentOfKeysAndClassesIsInOneTier) {
  EXPECT_THAT(block_edges_of_tier(Tier::quick), ElementsAre(31, 33, 127, 129));
  EXPECT_THAT(block_edges_of_tier(Tier::full), IsEmpty());
  std::set<std::size_t> both;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const std::size_t edge : block_edges_of_tier(tier))
      EXPECT_TRUE(both.insert(edge).second) << edge;
  EXPECT_THAT(both, ElementsAreArray(kBlockEdges));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
