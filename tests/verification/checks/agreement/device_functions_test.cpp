#include "verification/checks/agreement/device_functions.hpp"

#include <gtest/gtest.h>

#include "gpu/device/device.hpp"

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

}  // namespace
}  // namespace normproof::verification::checks::agreement
