#include "gpu/train/accumulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/gpu/device/samples.hpp"

namespace normproof::gpu::train {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

Gradients make_gradients(device::Device& device, const Tensor& dense, std::vector<std::size_t> rows,
                         const Tensor& values) {
  encoder::EncoderGradients gradients;
  gradients.dense.set("w", upload(device, dense));
  gradients.embedding = {std::move(rows), upload(device, values)};
  return to_named_gradients(std::move(gradients));
}

TEST(GradientAccumulation, AddsDenseAndRowGradientsOfBothBatches) {
  for (const auto& device : make_simulated_devices()) {
    Gradients sum;
    accumulate(sum, make_gradients(*device, {1, 2}, {1, 4}, {{10, 20}, {30, -0.0}}));
    EXPECT_EQ(download(sum.dense.at("w")), (Tensor{1, 2}));
    accumulate(sum, make_gradients(*device, {3, 5}, {0, 4, 7}, {{1, 2}, {3, -0.0}, {5, 6}}));
    EXPECT_EQ(download(sum.dense.at("w")), (Tensor{4, 7}));
    ASSERT_EQ(sum.rows.size(), 1u);
    EXPECT_EQ(sum.rows[0].first, "embedding.weight");
    EXPECT_EQ(sum.rows[0].second.rows, (std::vector<std::size_t>{0, 1, 4, 7}));
    const Tensor values = download(sum.rows[0].second.values);
    EXPECT_EQ(values, (Tensor{{1, 2}, {10, 20}, {33, 0}, {5, 6}}));
    EXPECT_FALSE(std::signbit(values(2, 1)));  // 0 + -0 + -0
    divide(sum, 2);
    EXPECT_EQ(download(sum.dense.at("w")), (Tensor{2, 3.5}));
    EXPECT_EQ(download(sum.rows[0].second.values),
              (Tensor{{0.5, 1}, {5, 10}, {16.5, 0}, {2.5, 3}}));
  }
}

TEST(GradientAccumulation, TiedEmbeddingHasNoRowGradient) {
  const auto device = device::simulated_device();
  encoder::EncoderGradients tied;
  tied.dense.set("embedding.weight", upload(*device, Tensor{1, 2}));
  const Gradients gradients = to_named_gradients(tied);
  EXPECT_TRUE(gradients.rows.empty());
  EXPECT_EQ(gradients.dense.size(), 1u);
}

TEST(GradientAccumulation, CountsOneIterationPerStepOnlyForPowerNormTensorsWithThePrefix) {
  const auto device = device::simulated_device();
  device::NamedDeviceTensors before, norms;
  for (const char* name : {"encoder.n.iterations", "decoder.n.iterations"}) {
    before.set(name, upload(*device, Tensor{4}));
    norms.set(name, upload(*device, Tensor{7}));
  }
  set_iterations_to_one_step(ref::model::norm_options("power_norm_released"), norms, before,
                             "encoder.");
  EXPECT_EQ(download(norms.at("encoder.n.iterations")), Tensor{7});
  set_iterations_to_one_step(ref::model::norm_options("power_norm"), norms, before, "encoder.");
  EXPECT_EQ(download(norms.at("encoder.n.iterations")), Tensor{5});
  EXPECT_EQ(download(norms.at("decoder.n.iterations")), Tensor{7});
}

}  // namespace
}  // namespace normproof::gpu::train
