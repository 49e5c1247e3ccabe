#include "verification/checks/agreement/device_functions.hpp"

#include <gtest/gtest.h>

#include "gpu/device/device.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::agreement {
namespace {

TEST(DeviceFunctions, ReturnGradientsOnlyIfGradYIsGiven) {
  const auto device = gpu::device::simulated_device(4);
  checks::evaluation::FunctionInputs inputs;
  inputs.tensors.set("x", {-1, 2});
  const ref::model::FunctionOptions relu = ref::model::ReluOptions{};
  auto got = gpu::device::download(run_function_on_device(*device, relu, inputs));
  EXPECT_EQ(got.at("y"), (ref::tensor::Tensor<double>{0, 2}));
  EXPECT_FALSE(got.contains("grad_x"));
  inputs.tensors.set("grad_y", {3, 5});
  got = gpu::device::download(run_function_on_device(*device, relu, inputs));
  EXPECT_EQ(got.at("grad_x"), (ref::tensor::Tensor<double>{0, 5}));
}

TEST(DeviceFunctions, C1_RejectsOptionsThatNoDeviceHas) {
  using ref::model::CrossEntropyOptions;
  const auto device = gpu::device::simulated_device(4);
  EXPECT_TRUE(runs_on_device(CrossEntropyOptions{.loss = {0.1}}));
  for (const ref::model::FunctionOptions& function :
       {ref::model::FunctionOptions(CrossEntropyOptions{.z_loss = 0.5}),
        ref::model::FunctionOptions(CrossEntropyOptions{.soft_cap = 3}),
        ref::model::FunctionOptions(
            CrossEntropyOptions{.reduction = ref::model::LossReduction::sum}),
        ref::model::FunctionOptions(ref::model::GatedRMSNormOptions{})}) {
    EXPECT_FALSE(runs_on_device(function));
    EXPECT_EQ(
        ref::numeric::contract_message([&] { run_function_on_device(*device, function, {}); }),
        "run_function_on_device: function has options that no device has; expected a "
        "function for which runs_on_device is true (C1)");
  }
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
