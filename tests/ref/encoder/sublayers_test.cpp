#include "ref/encoder/sublayers.hpp"

#include <gtest/gtest.h>

#include "tests/ref/encoder/encoders.hpp"

namespace normproof::ref::encoder {
namespace {

using model::NormPlacement;
using nn::random_tensor;

/// The arguments of a call of a layer, with the name "place" and a dropout rate of 1/2. A LayerCall
/// refers to these objects.
struct SampleLayerCall {
  std::string place = "place";
  model::NormOptions norm = model::norm_options("layer_norm");
  NormPlacement placement = NormPlacement::post;
  Mask valid = {};
  ModelRunSettings run = {.seed = 3, .step = 2};
  NamedTensors<double> state = {};
  TensorTap<double> tap = {};

  LayerCall<double> call() { return {place, norm, placement, 0.5, valid, run, state, tap}; }
};

TEST(Sublayers, DropoutAppliesTheMaskWithItsNameOnlyInTraining) {
  SampleLayerCall called;
  const auto x = random_tensor<double>("x", {4, 8});
  Mask keep;
  const auto dropped = apply_dropout_to_part(called.call(), "part.y", x, keep);
  EXPECT_EQ(keep, nn::dropout_mask({4, 8}, 0.5, {3, 2, "place.part.y"}));
  EXPECT_EQ(dropped, nn::dropout(x, keep, 0.5));
  Tensor<double> scratch;
  EXPECT_EQ(run_part_dropout_backward(called.call(), x, keep, scratch), dropped);
  called.run.mode = model::Mode::inference;
  EXPECT_EQ(apply_dropout_to_part(called.call(), "part.y", x, keep), x);
  EXPECT_EQ(&run_part_dropout_backward(called.call(), x, keep, scratch), &x);
}

TEST(Sublayers, KeepsAttentionWeightsThatTheTapRequests) {
  SampleLayerCall called;
  const nn::AttentionOptions options{.num_heads = 2, .keep_weights = false, .causal = true};
  const auto without = attention_options(called.call(), "part", options);
  EXPECT_FALSE(without.keep_weights);
  EXPECT_TRUE(without.causal);
  EXPECT_EQ(without.dropout, 0.5);
  EXPECT_EQ(without.key.place, "place.part.weights");
  called.tap = {[](const std::string&, const Tensor<double>&) {},
                [](const std::string& name) { return name == "place.part.weights"; }};
  EXPECT_TRUE(attention_options(called.call(), "part", options).keep_weights);
}

/// The sublayer doubles its input. The expected output is `norm(2 * x + x)` with post-norm and
/// `2 * norm(x) + x` with pre-norm. The expected gradient uses the backward of the norm.
TEST(Sublayers, ResidualConnectionFollowsThePlacementOfTheNorm) {
  const auto x = random_tensor<double>("x", {3, 4}), dy = random_tensor<double>("dy", {3, 4});
  const auto twice = [](const Tensor<double>& t) { return Tensor<double>(2.0 * t); };
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    SampleLayerCall called;
    called.placement = placement;
    ResidualSublayer<double> site;
    norm::NormParameters<double> gradients;
    const bool post = placement == NormPlacement::post;
    const auto y = run_residual_sublayer(called.call(), "norm1", {}, x, site, twice);
    const auto grad =
        run_residual_sublayer_backward(called.call(), "norm1", dy, site, gradients, twice);
    NamedNorm<double> alone;
    const Tensor<double> in = post ? Tensor<double>(2.0 * x + x) : x;
    const auto normalized = run_norm<double>(called.norm, {}, in, {}, model::Mode::training, "n",
                                             called.state, alone, {});
    const auto through = run_norm_backward<double>(
        called.norm, post ? dy : Tensor<double>(2.0 * dy), "n", called.state, alone, gradients, {});
    EXPECT_EQ(y, post ? normalized : Tensor<double>(2.0 * normalized + x));
    EXPECT_EQ(grad, post ? Tensor<double>(through + 2.0 * through) : Tensor<double>(dy + through));
  }
}

}  // namespace
}  // namespace normproof::ref::encoder
