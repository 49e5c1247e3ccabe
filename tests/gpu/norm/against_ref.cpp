#include "tests/gpu/norm/against_ref.hpp"

#include <limits>

#include "gpu/norm/norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::Mode;
using ref::model::NormOptions;
using ref::tensor::Mask;
using ref::tensor::Tensor;
using RefState = ref::tensor::NamedTensors<double>;

NormInputs on_device(Device& device, const RefInputs& in) {
  return {.x = device::upload(device, in.x),
          .gamma = device::upload(device, in.gamma),
          .beta = device::upload(device, in.beta),
          .grad_y = device::upload(device, in.grad_y),
          .valid = DeviceMask(device, in.valid),
          .mode = in.mode,
          .others = device::upload(device, in.others)};
}

void expect_same(const NamedDeviceTensors& got, const RefState& expected) {
  EXPECT_EQ(got.size(), expected.size());
  for (const auto& [name, values] : expected) {
    ASSERT_NE(got.find(name), nullptr) << name;
    EXPECT_BITS_EQ(device::download(got.at(name)), values) << name;
  }
}

/// Runs `steps` steps of forward and backward on the device and in the reference, and expects equal
/// bits. Each step starts from the state after the previous step.
void compare_steps_with_reference(Device& device, const NormOptions& options,
                                  const RefInputs& inputs, int steps) {
  const std::size_t d_model = inputs.x.shape().back();
  const NormInputs in = on_device(device, inputs);
  RefState expected_state = ref::norm::initial_state<double>(options, d_model);
  NamedDeviceTensors state = initial_state(device, options, d_model);
  for (int s = 0; s < steps; ++s) {
    const auto expected = ref::norm::norm_step(options, inputs, expected_state);
    NormStep step = norm_forward(options, in, state);
    const NormStep backward = norm_backward(options, in, step);
    for (const auto& [name, values] : backward.outputs) step.outputs.set(name, values);
    expect_same(step.outputs, expected.outputs);
    expect_same(backward.state, expected.state);
    expected_state = expected.state;
    state = backward.state;
  }
}

}  // namespace

void expect_reference_bits(const NormOptions& options, const RefInputs& inputs, int steps) {
  const std::size_t d_model = inputs.x.shape().back();
  const std::string expected = refusal_message([&] {
    ref::norm::norm_step(options, inputs, ref::norm::initial_state<double>(options, d_model));
  });
  for (const auto& device : make_simulated_devices()) {
    if (expected == kNoError) {
      compare_steps_with_reference(*device, options, inputs, steps);
      continue;
    }
    EXPECT_EQ(refusal_message([&] {
                const NormInputs in = on_device(*device, inputs);
                norm_backward(options, in,
                              norm_forward(options, in, initial_state(*device, options, d_model)));
              }),
              expected);
  }
}

void expect_reference_bits_beyond_65535_rows(const NormOptions& options) {
  const auto device = device::simulated_device();
  compare_steps_with_reference(*device, options,
                               {.x = random_wide_range_tensor({65537, 3}, "x"),
                                .grad_y = random_wide_range_tensor({65537, 3}, "grad_y")},
                               1);
}

void expect_reference_bits_for_samples(const NormOptions& options) {
  struct ShapeAndMasking {
    ref::tensor::Shape shape;
    bool masked;
  };
  for (const auto& [shape, masked] :
       {ShapeAndMasking{{1, 6}, false}, ShapeAndMasking{{67, 6}, true},
        ShapeAndMasking{{3, 5, 66}, true}, ShapeAndMasking{{2, 40, 6}, false}}) {
    const std::size_t d_model = shape.back();
    RefInputs in{.x = random_wide_range_tensor(shape, "x"),
                 .grad_y = random_wide_range_tensor(shape, "grad_y")};
    if (masked) in.valid = random_mask({shape.begin(), shape.end() - 1}, "valid");
    for (const Mode mode : {Mode::training, Mode::inference}) {
      in.mode = mode;
      expect_reference_bits(options, in);
      RefInputs trained = in;
      for (const auto& parameter : ref::model::norm_layer(options).parameters)
        ref::norm::set_parameter(
            trained, parameter.name,
            random_wide_range_tensor({ref::model::entry_extent(parameter.shape, d_model)},
                                     parameter.name));
      expect_reference_bits(options, trained, 3);
    }
  }
}

void expect_same_rejections_as_reference(const NormOptions& options) {
  const auto has_failed_check = [&](const RefInputs& in) {
    const RefState state = ref::norm::initial_state<double>(options, 4);
    EXPECT_NE(refusal_message([&] { ref::norm::norm_step(options, in, state); }), kNoError);
    expect_reference_bits(options, in);
  };
  const RefInputs fine{.x = random_wide_range_tensor({3, 4}, "x"),
                       .grad_y = random_wide_range_tensor({3, 4}, "grad_y")};
  RefInputs in = fine;
  in.x.data()[5] = std::numeric_limits<double>::quiet_NaN();
  has_failed_check(in);
  in = fine;
  in.x.data()[7] = 1e200;
  in.x.data()[6] = -std::numeric_limits<double>::infinity();
  has_failed_check(in);
  in = fine;
  in.grad_y.data()[11] = std::numeric_limits<double>::infinity();
  has_failed_check(in);
  in = fine;
  in.grad_y = random_wide_range_tensor({4, 3}, "grad_y");
  has_failed_check(in);
  in = fine;
  in.gamma = random_wide_range_tensor({5}, "gamma");
  has_failed_check(in);
}

}  // namespace normproof::gpu::norm
