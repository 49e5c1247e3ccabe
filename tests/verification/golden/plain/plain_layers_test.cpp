#include "verification/golden/plain/plain_layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/model/norm_layers.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::plain {

using gate::CaseResult;
using gate::check_case;
namespace {

using ::testing::ElementsAre;

std::vector<StoredTensor> plain(const Case& c, const Style& style = {}) {
  Sites sites;
  return run_plain(c, recipes::inputs_of(c), style, sites);
}

TEST(PlainNormLayers, LayerNormMatchesTheTextbook) {
  const auto answer = plain(layer_norm_case_of_one_and_three("0"));
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(-1, 1));
  // With two elements and no eps, the backward of the norm is 0.
  EXPECT_THAT(find_tensor_values(answer, "grad_x"), ElementsAre(0, 0));
}

TEST(PlainNormLayers, EveryStyleOfEveryLayerIsWithinTheBound) {
  const Style styles[] = {{},
                          {.sum = Style::Sum::backwards},
                          {.sum = Style::Sum::pairwise},
                          {.sum = Style::Sum::strided},
                          {.sum = Style::Sum::in_double},
                          {.welford = true},
                          {.reciprocal = true},
                          {.divide = true},
                          {.powers = true}};
  std::size_t layers = 0;
  for (const Case& c : recipes::corpus(Tier::quick)) {
    if (c.reason != "random" && c.reason != "steps" && c.reason != "pads_1000x") continue;
    layers += c.reason == "random" && c.dtype == DType::float32 ? 1 : 0;
    const StoredCase stored = certified(c);
    for (const Style& style : styles) {
      const CaseResult result = check_case(stored, plain(c, style), {});
      EXPECT_TRUE(result.passed()) << case_folder(c);
      EXPECT_GE(result.tensors.size(), 2u);
    }
  }
  EXPECT_GT(layers, 20u);
}

TEST(PlainNormLayers, DifferentStylesGiveDifferentBits) {
  const Case c = plain_recipe("layer_norm", {5, 33}, DType::float32).make(1);
  const auto right = plain(c);
  for (const Style& style : {Style{.sum = Style::Sum::backwards},
                             Style{.sum = Style::Sum::pairwise}, Style{.sum = Style::Sum::strided},
                             Style{.welford = true}, Style{.divide = true}, Style{.folded = true}})
    EXPECT_NE(plain(c, style), right);
}

TEST(PlainNormLayers, TheFoldedFormWithGammaAloneHasTheBitsOfABetaOfZeros) {
  for (const char* layer : {"layer_norm", "instance_norm", "group_norm", "batch_norm"})
    for (const bool inference : {false, true}) {
      Recipe recipe =
          plain_recipe(layer, {2, 3, 4}, DType::float32).parameter("beta", [](auto, double) {
            return 0.0;
          });
      if (inference && std::string_view(layer) == "batch_norm") recipe = recipe.inference();
      const Case with_beta = recipe.make(1);
      Case gamma_alone = with_beta;
      EXPECT_EQ(std::erase_if(gamma_alone.inputs, [](const auto& in) { return in.name == "beta"; }),
                1u);
      const Style folded{.folded = true};
      EXPECT_EQ(find_tensor_values(plain(gamma_alone, folded), "y"),
                find_tensor_values(plain(with_beta, folded), "y"))
          << layer;
    }
}

TEST(PlainNormLayers, OutputsOf16BitCasesAreRounded) {
  const Case c = plain_recipe("rms_norm", {2, 8}, DType::bfloat16).make(1);
  const auto answer = plain(c);
  ASSERT_NE(find(answer, "y"), nullptr);
  EXPECT_EQ(find(answer, "y")->dtype, DType::bfloat16);
}

TEST(PlainNormLayers, MutationOfBetaChangesYButNotGradX) {
  const Case c = plain_recipe("layer_norm", {3, 8}).make(1);
  const auto right = plain(c);
  Sites sites({"beta", MutationOperator::drop});
  const auto wrong = run_plain(c, recipes::inputs_of(c), {}, sites);
  EXPECT_NE(find_tensor_values(wrong, "y"), find_tensor_values(right, "y"));
  EXPECT_EQ(find_tensor_values(wrong, "grad_x"), find_tensor_values(right, "grad_x"));
}

TEST(PlainNormLayers, ZeroCenteredGammaIsIncreasedByOne) {
  for (const char* layer : {"layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm"}) {
    const std::string prefix = layer[0] == 'a' ? "norm: " : "";
    const Case c = plain_recipe(layer, {4, 6}, DType::bfloat16)
                       .option("zero_centred_gamma", "1")
                       .parameter("gamma", [](auto, double normal) { return 0.25 * normal; })
                       .make(1);
    const StoredCase stored = certified(c);
    const auto passes = [&](const Mutation& mutation) {
      Sites sites(mutation);
      return check_case(stored, run_plain(c, recipes::inputs_of(c), {}, sites), {}).passed();
    };
    EXPECT_TRUE(passes({})) << layer;
    EXPECT_FALSE(passes({prefix + "1 of 1 + gamma", MutationOperator::drop})) << layer;
    EXPECT_FALSE(passes({prefix + "1 of 1 + gamma", MutationOperator::twice})) << layer;
    EXPECT_FALSE(passes({prefix + "1 of 1 + gamma in grad_x", MutationOperator::drop})) << layer;
  }
}

TEST(PlainNormLayers, ForwardAloneHasNoGradients) {
  for (const ref::model::NormLayer& layer : ref::model::norm_layers()) {
    Case c = plain_recipe(std::string(layer.name), {5, 4}, DType::float32).make(1);
    std::erase_if(c.inputs, [](const StoredTensor& input) { return input.name == "grad_y"; });
    for (const StoredTensor& output : plain(c))
      EXPECT_FALSE(output.name.starts_with("grad_")) << layer.name << " " << output.name;
  }
}

TEST(PlainNormLayers, StatisticsAreReturned) {
  const auto answer = plain(layer_norm_case_of_one_and_three("0"));
  EXPECT_THAT(find_tensor_values(answer, "mean"), ElementsAre(2));
  EXPECT_THAT(find_tensor_values(answer, "rstd"), ElementsAre(1));
}

TEST(PlainNormLayers, EveryOutputOfTheCorpusIsReturnedInItsShape) {
  for (const Case& c : recipes::corpus(Tier::quick)) {
    if (c.reason != "random" && c.reason != "inference" && c.reason != "steps") continue;
    const auto answer = plain(c);
    for (const StoredTensor& expected : certify::certify(c).tensors) {
      if (expected.name.ends_with("_lo")) continue;
      const StoredTensor* const given = find(answer, expected.name);
      ASSERT_NE(given, nullptr) << case_folder(c) << " " << expected.name;
      EXPECT_EQ(given->shape, expected.shape) << case_folder(c) << " " << expected.name;
    }
  }
}

TEST(PlainNormLayers, MutationOfAReturnedStatisticChangesNothingElse) {
  const Case c = plain_recipe("batch_norm", {5, 4}).make(1);
  const auto right = plain(c);
  for (const auto& [site, op, name] :
       {std::tuple{"inverse of the returned rstd", MutationOperator::drop, "rstd"},
        {"root of the returned rstd", MutationOperator::drop, "rstd"},
        {"eps of the returned rstd", MutationOperator::drop, "rstd"},
        {"n of the returned biased_variance", MutationOperator::one_less, "biased_variance"},
        {"eps of the returned biased_variance", MutationOperator::insert, "biased_variance"},
        {"returned mean", MutationOperator::other, "mean"}}) {
    Sites sites({site, op});
    for (const StoredTensor& tensor : run_plain(c, recipes::inputs_of(c), {}, sites))
      EXPECT_EQ(tensor == *find(right, tensor.name), tensor.name != name) << site;
  }
}

TEST(PlainNormLayers, FlushingSubnormalsPassesOnlyIfItIsDeclared) {
  for (const DType dtype : {DType::float32, DType::float16}) {
    const double scale = dtype == DType::float32 ? 1e-40 : 0x1p-17;
    const Case c = plain_recipe("layer_norm", {3, 6}, dtype)
                       .grad_y([scale](auto, double normal) { return scale * normal; })
                       .make(1);
    const StoredCase stored = certified(c);
    const auto flushed = plain(c, {.flushed = true});
    EXPECT_FALSE(check_case(stored, flushed, {}).passed()) << ref::io::to_string(dtype);
    EXPECT_TRUE(check_case(stored, flushed, {.flush_subnormals = true}).passed())
        << ref::io::to_string(dtype);
    Sites sites({"subnormal results", MutationOperator::flushed});
    EXPECT_EQ(run_plain(c, recipes::inputs_of(c), {}, sites), flushed);
  }
}

TEST(PlainNormLayers, SixteenBitArithmeticPassesOnlyIfItIsDeclared) {
  const Case c = plain_recipe("layer_norm", {5, 33}, DType::bfloat16).make(1);
  const StoredCase stored = certified(c);
  const auto answer = plain(c, {.accumulation = Accumulation::bfloat16});
  EXPECT_FALSE(check_case(stored, answer, {}).passed());
  EXPECT_TRUE(check_case(stored, answer, {.accumulation = Accumulation::bfloat16}).passed());
}

}  // namespace
}  // namespace normproof::verification::golden::plain
