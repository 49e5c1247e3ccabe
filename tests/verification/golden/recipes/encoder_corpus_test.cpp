#include "verification/golden/recipes/encoder_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::DType;
using corpus::find;
using corpus::StoredTensor;
using corpus::Tier;

using gate::check_case;
using gate::TensorResult;
namespace {

using ::testing::IsSupersetOf;

TEST(EncoderCases, HaveTheNormsAndRegimesOfTheirOperation) {
  const auto collect_operation_reasons = [](const std::string& operation) {
    std::set<std::string> reasons;
    for (const Case& c : encoder_cases(Tier::quick, operation, kCorpusSeed))
      reasons.insert(c.reason);
    return reasons;
  };
  EXPECT_THAT(
      collect_operation_reasons("decoder_layer"),
      IsSupersetOf({"post_layer_norm", "pre_layer_norm", "pre_batch_norm", "post_power_norm",
                    "short_source_power_norm", "without_mask", "dropout_post", "dropout_pre"}));
  for (const std::string operation : {"encoder_layer", "encoder"}) {
    const std::set<std::string> reasons = collect_operation_reasons(operation);
    EXPECT_THAT(reasons, IsSupersetOf({"post_layer_norm", "pre_layer_norm", "post_batch_norm",
                                       "pre_batch_norm", "post_power_norm", "pre_power_norm",
                                       "post_power_norm_released", "pre_power_norm_released",
                                       "offset_1e6", "without_mask", "large_eps"}))
        << operation;
    EXPECT_EQ(reasons.contains("per_position"), operation == "encoder");
    EXPECT_EQ(reasons.contains("large_scores"), operation == "encoder_layer");
    EXPECT_EQ(reasons.contains("dropout_pre"), operation == "encoder_layer");
  }
}

TEST(EncoderCases, AreSmallAndHavePaddingAndRepeatedWords) {
  for (const Case& c : encoder_cases(Tier::quick, "encoder", 1)) {
    const StoredTensor& tokens = *find(c.inputs, "tokens");
    EXPECT_LE(tokens.shape[0], 3u) << case_folder(c);
    EXPECT_LE(tokens.shape[1], 5u) << case_folder(c);
    EXPECT_EQ(find(c.inputs, "valid") == nullptr,
              c.reason == "without_mask" || c.reason == "causal_without_padding");
    const std::vector<double> ids = ref::io::widen(tokens);
    EXPECT_LT(std::set<double>(ids.begin(), ids.end()).size(), ids.size()) << case_folder(c);
    EXPECT_EQ(std::ranges::count(ids, 3), 0) << case_folder(c);
  }
}

/// If source and target had the same lengths and padding, a wrong candidate could pass: it could
/// use the target's mask in place of the source's, or x in place of the source.
TEST(EncoderCases, DecoderSourceDiffersFromTheTargetInLengthAndPadding) {
  std::size_t seen = 0;
  for (const Case& c : encoder_cases(Tier::quick, "decoder_layer", kCorpusSeed)) {
    const std::size_t tokens = find(c.inputs, "x")->shape[1],
                      keys = find(c.inputs, "memory")->shape[1];
    const StoredTensor* const of_source = find(c.inputs, "memory_valid");
    EXPECT_EQ(of_source == nullptr, c.reason == "without_mask") << case_folder(c);
    EXPECT_EQ(tokens == keys, c.reason == "without_mask") << case_folder(c);
    if (of_source == nullptr) continue;
    EXPECT_EQ(of_source->shape, (std::vector<std::size_t>{find(c.inputs, "x")->shape[0], keys}));
    EXPECT_GT(std::ranges::count(of_source->bytes, std::byte{0}), 0) << case_folder(c);
    ++seen;
  }
  EXPECT_GT(seen, 5u);
}

/// For an encoder case in float32, the bound of each element must be less than half of the element.
TEST(EncoderCases, Float32BoundIsNotVacuous) {
  std::size_t seen = 0;
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const Case& c : encoder_cases(Tier::quick, operation, kCorpusSeed)) {
      if (c.dtype != DType::float32) continue;
      const StoredCase stored = certified(c);
      for (const TensorResult& tensor : check_case(stored, reference_output(stored), {}).tensors) {
        EXPECT_EQ(tensor.unjudged, 0u) << case_folder(c) << " " << tensor.name;
        EXPECT_LE(tensor.bound, 0.5 * std::fabs(tensor.exact))
            << case_folder(c) << " " << tensor.name;
        ++seen;
      }
    }
  EXPECT_GT(seen, 40u);
}

/// Each dropout mask keeps something and drops something. Two masks of the same shape differ.
/// Otherwise a candidate that omits a dropout, or uses the wrong mask, would pass.
TEST(EncoderCases, DropoutMasksDifferAndDropSomething) {
  std::size_t seen = 0;
  const auto note = [&](const std::string& operation, std::uint64_t seed, std::size_t places) {
    for (const Case& c : encoder_cases(Tier::quick, operation, seed)) {
      std::set<std::vector<std::byte>> masks;
      for (const StoredTensor& tensor : c.inputs) {
        if (!tensor.name.ends_with(".keep")) continue;
        const auto kept = std::ranges::count(tensor.bytes, std::byte{1});
        EXPECT_GT(kept, 0) << case_folder(c) << " " << tensor.name;
        EXPECT_LT(kept, static_cast<std::ptrdiff_t>(tensor.bytes.size())) << case_folder(c);
        EXPECT_TRUE(masks.insert(tensor.bytes).second) << case_folder(c) << " " << tensor.name;
        ++seen;
      }
      EXPECT_EQ(masks.size(), c.reason.find("dropout") == std::string::npos ? 0u : places);
    }
  };
  for (const std::uint64_t seed : {kCorpusSeed, kCorpusSeed + 9}) {
    note("encoder_layer", seed, 4);
    note("decoder_layer", seed, 6);
  }
  EXPECT_EQ(seen, 2u * (7 * 4 + 2 * 6));
}

TEST(EncoderCases, LargerTiersHaveLargerExtents) {
  for (const std::string& operation : ref::model::encoder_operation_names()) {
    std::set<std::size_t> tokens, heads;
    for (const Tier tier : {Tier::standard, Tier::full})
      for (const Case& c : encoder_cases(tier, operation, kCorpusSeed)) {
        const checks::evaluation::EncoderTensors in = inputs_of(c, case_folder(c)).encoder;
        tokens.insert(find(c.inputs, operation == "encoder" ? "tokens" : "x")->shape[1]);
        heads.insert(in.config.num_heads);
        const bool alone = c.reason == "first_tokens_alone";
        if (alone) {
          EXPECT_EQ(std::ranges::count(in.valid, true), 3) << case_folder(c);
        }
      }
    EXPECT_THAT(tokens, IsSupersetOf({1u, 5u, 33u})) << operation;
    EXPECT_EQ(tokens.contains(130), operation != "decoder_layer") << operation;
    EXPECT_THAT(heads, IsSupersetOf({1u, 3u, 6u, 8u})) << operation;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
