#include "gpu/train/optimizer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/train/optimizer.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::download;
using device::upload;
using RefNamed = ref::tensor::NamedTensors<double>;

RefNamed optimizer_parameters() {
  RefNamed parameters;
  parameters.set("a", random_wide_range_tensor({3, 40}, "a"));
  parameters.set("e", random_wide_range_tensor({6, 5}, "e"));
  return parameters;
}
ref::train::Gradients<double> optimizer_gradients(const std::string& name) {
  ref::train::Gradients<double> gradients;
  gradients.dense.set("a", random_wide_range_tensor({3, 40}, name + "a"));
  gradients.rows.push_back({"e", {{0, 3, 4}, random_wide_range_tensor({3, 5}, name + "e")}});
  return gradients;
}
NamedDeviceTensors upload_all(Device& device, const RefNamed& named) {
  NamedDeviceTensors result;
  for (const auto& [name, values] : named) result.set(name, upload(device, values));
  return result;
}
Gradients upload_all(Device& device, const ref::train::Gradients<double>& gradients) {
  Gradients result{upload_all(device, gradients.dense), {}};
  for (const auto& [name, rows] : gradients.rows)
    result.rows.push_back({name, {rows.rows, upload(device, rows.values)}});
  return result;
}

const ref::model::OptimizerOptions kOptimizers[] = {
    ref::model::SgdOptions{}, ref::model::SgdOptions{.momentum = 0.9}, ref::model::AdamOptions{},
    ref::model::AdamWOptions{}};

TEST(DeviceOptimizer, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const auto& options : kOptimizers) {
      RefNamed parameters = optimizer_parameters();
      auto state = ref::train::initial_optimizer_state(options, parameters);
      NamedDeviceTensors got = upload_all(*device, parameters);
      OptimizerState got_state{upload_all(*device, state.moments), 0};
      for (const char* step : {"1", "2", "3"}) {
        const auto gradients = optimizer_gradients(step);
        ref::train::optimizer_step(options, 0.01, parameters, gradients, state);
        optimizer_step(options, 0.01, got, upload_all(*device, gradients), got_state);
      }
      for (const auto& [name, values] : parameters) EXPECT_BITS_EQ(download(got.at(name)), values);
      for (const auto& [name, values] : state.moments)
        EXPECT_BITS_EQ(download(got_state.moments.at(name)), values) << name;
      EXPECT_EQ(got_state.step, state.step);
    }
}

TEST(DeviceOptimizer, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect_same = [&](const ref::model::OptimizerOptions& options,
                               const ref::train::Gradients<double>& gradients) {
    RefNamed parameters = optimizer_parameters();
    auto state = ref::train::initial_optimizer_state<double>(kOptimizers[2], parameters);
    NamedDeviceTensors got = upload_all(*device, parameters);
    OptimizerState got_state{upload_all(*device, state.moments), 0};
    const std::string expected = refusal_message(
        [&] { ref::train::optimizer_step(options, 0.01, parameters, gradients, state); });
    EXPECT_NE(expected, kNoError);
    EXPECT_EQ(refusal_message([&] {
                optimizer_step(options, 0.01, got, upload_all(*device, gradients), got_state);
              }),
              expected);
  };
  auto gradients = optimizer_gradients("1");
  expect_same(ref::model::AdamOptions{.beta1 = 1}, gradients);
  expect_same(ref::model::AdamWOptions{.weight_decay = -1}, gradients);
  gradients.dense.at("a").data()[7] = 1e200;
  expect_same(ref::model::AdamOptions{}, gradients);
  gradients.rows[0].second.values.data()[3] = std::numeric_limits<double>::infinity();
  gradients.dense.at("a").data()[7] = 1;
  expect_same(ref::model::AdamOptions{}, gradients);
}

}  // namespace
}  // namespace normproof::gpu::train
