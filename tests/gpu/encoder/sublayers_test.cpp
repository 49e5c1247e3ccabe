#include "gpu/encoder/sublayers.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/encoder/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::encoder {
namespace {

using device::download;
using device::upload;
using ref::model::NormPlacement;

TEST(DeviceSublayers, ResidualConnectionFollowsThePlacementOfTheNorm) {
  const auto device = device::simulated_device(4);
  const ref::model::NormOptions norm = ref::model::norm_options("layer_norm");
  NamedDeviceTensors parameters, state, gradients;
  parameters.set("n.gamma", upload(*device, random_normal_tensor({8}, "gamma")));
  parameters.set("n.beta", upload(*device, random_normal_tensor({8}, "beta")));
  const auto x = upload(*device, random_normal_tensor({2, 5, 8}, "x"));
  const auto other = upload(*device, random_normal_tensor({2, 5, 8}, "other"));
  const auto f = [&](const DeviceTensor<double>& in) { return ops::add(in, other); };
  NamedNorm site(norm, parameters, "n");
  const auto normalise = [&](const DeviceTensor<double>& values) {
    return NamedNorm(norm, parameters, "n").forward(values, {}, {}, state);
  };
  EXPECT_BITS_EQ(download(run_residual_sublayer(NormPlacement::post, site, x, {}, {}, state, f)),
                 download(normalise(ops::add(ops::add(x, other), x))));
  EXPECT_BITS_EQ(download(run_residual_sublayer(NormPlacement::pre, site, x, {}, {}, state, f)),
                 download(ops::add(ops::add(normalise(x), other), x)));
  // With placement `pre` and an f that passes gradients through, the result is grad_y plus the
  // gradient through the norm.
  const auto same = [](const DeviceTensor<double>& grad) { return grad; };
  NamedNorm second_site(norm, parameters, "n");
  second_site.forward(x, {}, {}, state);
  const auto through = second_site.backward(other, state, gradients);
  EXPECT_BITS_EQ(download(run_residual_sublayer_backward(NormPlacement::pre, site, other, state,
                                                         gradients, same)),
                 download(ops::add(other, through)));
  EXPECT_TRUE(gradients.find("n.gamma") != nullptr && gradients.find("n.beta") != nullptr);
}

TEST(DeviceSublayers, DropoutUsesTheGivenMaskInForwardAndBackward) {
  const auto device = device::simulated_device(4);
  EncoderConfig config = small_config();
  config.dropout = 0.5;
  const auto keep = random_mask({2, 8}, "keep");
  const std::map<std::string, DeviceTensor<bool>> masks = {{"p.y", upload(*device, keep)}};
  ModelRunSettings run;
  run.masks = &masks;
  SublayerDropouts dropouts(config, "p");
  const auto x = random_normal_tensor({2, 8}, "x");
  for (const auto& dropped : {download(dropouts.drop(upload(*device, x), run)),
                              download(dropouts.drop_backward(upload(*device, x), run))})
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(dropped.data()[i], keep.data()[i] ? 2 * x.data()[i] : 0) << i;
  EXPECT_EQ(refusal_message([&] { dropouts.key(run, ".weights"); }),
            "encoder layer: masks has no p.weights; expected one for each dropout (C1)");
  run.mode = ref::model::Mode::inference;
  EXPECT_EQ(dropouts.rate(run), 0);
  EXPECT_BITS_EQ(download(dropouts.drop(upload(*device, x), run)), x);
}

}  // namespace
}  // namespace normproof::gpu::encoder
