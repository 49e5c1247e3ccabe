#include "gpu/norm/norm.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/ref/norm/as_described.hpp"

namespace normproof::gpu::norm {
namespace {

using device::download;
using device::upload;

TEST(LayerDescriptions, AgreeWithTheDeviceLayers) {
  const auto device = device::simulated_device();
  ref::norm::expect_layers_match_descriptions(
      [&](const auto& options, const auto& in, const auto& state) {
        const NormInputs there{.x = upload(*device, in.x),
                               .gamma = upload(*device, in.gamma),
                               .beta = upload(*device, in.beta),
                               .grad_y = upload(*device, in.grad_y),
                               .valid = DeviceMask(*device, in.valid),
                               .mode = in.mode,
                               .others = upload(*device, in.others)};
        const NormStep forward = norm_forward(options, there, upload(*device, state));
        const NormStep backward = norm_backward(options, there, forward);
        ref::norm::NormStep<double> step{download(forward.outputs), download(backward.state)};
        for (const auto& [name, values] : backward.outputs)
          step.outputs.set(name, download(values));
        return step;
      });
}

}  // namespace
}  // namespace normproof::gpu::norm
