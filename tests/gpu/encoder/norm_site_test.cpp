#include "gpu/encoder/norm_site.hpp"

#include <gtest/gtest.h>

#include "ref/norm/norm.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::encoder {
namespace {

using device::upload;

TEST(DeviceNormSite, UpdatesOnlyItsOwnState) {
  const auto device = device::simulated_device(4);
  const ref::model::NormOptions norm = ref::model::norm_options("batch_norm");
  NamedDeviceTensors parameters, state;
  parameters.set("n1.gamma", upload(*device, random_normal_tensor({8}, "gamma")));
  parameters.set("n1.beta", upload(*device, random_normal_tensor({8}, "beta")));
  const auto initial = ref::norm::initial_state<double>(norm, 8);
  for (const char* place : {"n1.", "n10.", "m.n1."})
    for (const auto& [name, values] : initial) state.set(place + name, upload(*device, values));
  NamedNorm site(norm, parameters, "n1");
  site.forward(upload(*device, random_normal_tensor({2, 5, 8}, "x")), {}, {}, state);
  EXPECT_EQ(state.size(), 3 * initial.size());
  EXPECT_NE(download(state.at("n1.running_mean")), initial.at("running_mean"));
  for (const char* place : {"n10.", "m.n1."})
    for (const auto& [name, values] : initial)
      EXPECT_BITS_EQ(download(state.at(place + name)), values) << place << name;
}

TEST(DeviceNormSite, ReportsStatisticsOnlyIfTheyAreRequested) {
  const auto device = device::simulated_device(4);
  const ref::model::NormOptions norm = ref::model::norm_options("power_norm");
  NamedDeviceTensors parameters, gradients, statistics;
  NamedDeviceTensors state;
  for (const auto& [name, values] : ref::norm::initial_state<double>(norm, 8))
    state.set("n." + name, upload(*device, values));
  parameters.set("n.gamma", upload(*device, random_normal_tensor({8}, "gamma")));
  parameters.set("n.beta", upload(*device, random_normal_tensor({8}, "beta")));
  const auto x = upload(*device, random_normal_tensor({2, 5, 8}, "x"));
  ModelRunSettings run;
  NamedNorm site(norm, parameters, "n");
  site.forward(x, {}, run, state);
  run.statistics = &statistics;
  site.forward(x, {}, run, state);
  EXPECT_TRUE(statistics.find("n.quadratic_mean") != nullptr);
  EXPECT_TRUE(statistics.find("n.mean_x_hat_squared") == nullptr);
  site.backward(x, state, gradients);
  EXPECT_TRUE(statistics.find("n.mean_x_hat_squared") != nullptr);
  for (const auto& [name, values] : statistics) {
    EXPECT_NE(name, "n.y");
    EXPECT_FALSE(name.starts_with("n.grad_")) << name;
  }
}

}  // namespace
}  // namespace normproof::gpu::encoder
