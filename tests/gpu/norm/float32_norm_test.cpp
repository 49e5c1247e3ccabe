#include "gpu/norm/float32_norm.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "gpu/norm/float32_row_kernels.hpp"
#include "ref/norm/float32_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/compare/expect.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::Float32NormOptions;
using ref::tensor::Shape;
using RefAffine = ref::norm::Affine<float>;

constexpr FloatType kStoredTypes[] = {FloatType::float32, FloatType::bfloat16, FloatType::float16};

Tensor<float> float32_numbers(FloatType type, Tensor<double> values) {
  for (double& v : values) v = round_to(type, v);
  return ref::tensor::convert<float>(values);
}
Tensor<float> float32_numbers(FloatType type, const Shape& shape, std::string_view name) {
  return float32_numbers(
      type, type == FloatType::float16 ? plain_sample(shape, name) : sample(shape, name));
}

/// A download of nothing has no axes.
void expect_same_floats(const Tensor<float>& got, const Tensor<float>& expected) {
  if (!ref::tensor::is_given(got) && !ref::tensor::is_given(expected)) return;
  EXPECT_BITS_EQ(ref::tensor::convert<double>(got), ref::tensor::convert<double>(expected));
}

void expect_float32_bits(const Float32NormOptions& options, const Shape& shape, bool affine,
                         const std::vector<std::unique_ptr<device::Device>>& on) {
  SCOPED_TRACE(testing::Message() << (options.centred ? "layer_norm " : "rms_norm ") << shape[0]
                                  << " x " << shape[1] << " "
                                  << ref::numeric::format_of(options.storage).name);
  const Tensor<float> x = float32_numbers(options.storage, shape, "x");
  const Tensor<float> grad_y = float32_numbers(options.storage, shape, "grad_y");
  RefAffine own;
  if (affine)
    own = {float32_numbers(options.parameters, {shape[1]}, "gamma"),
           float32_numbers(options.parameters, {shape[1]}, "beta")};
  const auto forward = ref::norm::float32_norm(x, own, options);
  const auto gradients = ref::norm::float32_norm_backward(grad_y, x, own, forward, options);
  for (const auto& device : on) {
    const Float32NormInputs in{.x = upload_numbers(*device, options.storage, x),
                               .gamma = upload_numbers(*device, options.parameters, own.gamma),
                               .beta = upload_numbers(*device, options.parameters, own.beta),
                               .grad_y = upload_numbers(*device, options.storage, grad_y)};
    const Float32NormForward got = float32_norm(options, in);
    expect_same_floats(download_numbers(got.y), forward.y);
    expect_same_floats(device::download(got.rstd), forward.rstd);
    expect_same_floats(device::download(got.mean), forward.mean);
    const Float32NormGradients back = float32_norm_backward(options, in, got);
    expect_same_floats(download_numbers(back.grad_x), gradients.grad_x);
    expect_same_floats(download_numbers(back.grad_gamma), gradients.grad_gamma);
    expect_same_floats(download_numbers(back.grad_beta), gradients.grad_beta);
  }
}

void for_each_float32_layer(const std::function<void(Float32NormOptions)>& f) {
  for (const FloatType type : kStoredTypes)
    for (const bool centred : {true, false})
      f({.centred = centred, .storage = type, .parameters = type});
}

TEST(DeviceFloat32Norm, RowsOfEveryRemainder) {
  const auto on = devices();
  for_each_float32_layer([&](const Float32NormOptions& options) {
    for (std::size_t width = 1; width <= 35; ++width)
      expect_float32_bits(options, {3, width}, width % 2 == 0, on);
    for (const std::size_t width : {63, 64, 65, 127, 128, 129, 257})
      expect_float32_bits(options, {2, width}, true, on);
  });
}

TEST(DeviceFloat32Norm, NoRowOneRowAndManyRows) {
  const auto on = devices();
  for_each_float32_layer([&](const Float32NormOptions& options) {
    for (const std::size_t rows : {0, 1, 31, 32, 33, 65, 161})
      expect_float32_bits(options, {rows, 12}, true, on);
    expect_float32_bits(options, {97, 8}, false, on);
  });
}

/// At and beside the widths at which a row fills a tile, leaves it and begins another one.
TEST(DeviceFloat32Norm, RowsPastAWarpAndPastATile) {
  std::vector<std::unique_ptr<device::Device>> on;
  on.push_back(device::simulated_device(5));
  for_each_float32_layer([&](const Float32NormOptions& options) {
    const std::size_t slot = options.storage == FloatType::float32 ? 4 : 8;
    for (const std::size_t tile :
         {NarrowTile::kSlots * slot, WideBackwardTile::kSlots * slot, WideTile::kSlots * slot})
      for (const std::size_t width : {tile - slot, tile - slot + 1, tile - 1, tile, tile + 1})
        expect_float32_bits(options, {2, width}, true, on);
    expect_float32_bits(options, {2, 2 * WideTile::kSlots * slot + 3}, true, on);
  });
}

TEST(DeviceFloat32Norm, ParametersOfAnotherFormatAndAroundOne) {
  const auto on = devices();
  for_each_float32_layer([&](Float32NormOptions options) {
    for (const FloatType parameters : kStoredTypes) {
      options.parameters = parameters;
      options.zero_centred_gamma = !options.zero_centred_gamma;
      options.eps = 0x1p-7;
      expect_float32_bits(options, {37, 19}, true, on);
    }
  });
}

TEST(DeviceFloat32Norm, WhatIsNotFiniteGoesWhereItGoesInRef) {
  const auto device = device::simulated_device(3);
  Tensor<float> x = float32_numbers(FloatType::float32, {3, 9}, "x");
  x.data()[1] = std::numeric_limits<float>::quiet_NaN();
  x.data()[10] = std::numeric_limits<float>::infinity();
  const Float32NormOptions options{.storage = FloatType::float32};
  const auto expected = ref::norm::float32_norm(x, {}, options);
  const auto got = float32_norm(options, {.x = upload_numbers(*device, FloatType::float32, x)});
  const Tensor<float> y = download_numbers(got.y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(std::isnan(y.data()[i]), i < 18) << i;
    EXPECT_EQ(std::isnan(expected.y.data()[i]), i < 18) << i;
  }
}

TEST(DeviceFloat32Norm, RefusesWhatTheReferenceRefuses) {
  const auto device = device::simulated_device();
  struct Given {
    Shape x = {3, 4}, grad_y = {3, 4}, gamma = {4};
    std::size_t saved = 3;
    Float32NormOptions options = {.storage = FloatType::float32, .parameters = FloatType::float32};
  };
  const auto both_refuse = [&](const Given& given) {
    const auto full = [](const Shape& shape) { return ref::tensor::full_tensor<float>(shape, 1); };
    const std::string expected = refusal([&] {
      ref::norm::Float32NormForward forward{{}, full({given.saved}), full({given.saved})};
      const RefAffine own{full(given.gamma), {}};
      ref::norm::float32_norm_backward(full(given.grad_y), full(given.x), own, forward,
                                       given.options);
    });
    EXPECT_NE(expected, kNothingRefused);
    const auto upload = [&](const Shape& shape) {
      return upload_numbers(*device, FloatType::float32, full(shape));
    };
    EXPECT_EQ(
        refusal([&] {
          const Float32NormForward forward{{},
                                           device::upload(*device, full({given.saved})),
                                           device::upload(*device, full({given.saved}))};
          float32_norm_backward(
              given.options,
              {.x = upload(given.x), .gamma = upload(given.gamma), .grad_y = upload(given.grad_y)},
              forward);
        }),
        expected);
  };
  both_refuse({.x = {3, 0}});
  both_refuse({.x = {3, 4, 1}});
  both_refuse({.grad_y = {4, 3}});
  both_refuse({.gamma = {5}});
  both_refuse({.saved = 2});
  both_refuse({.options = {.eps = -1}});
  both_refuse({.options = {.storage = FloatType::float64}});
  both_refuse({.options = {.storage = FloatType::float32, .parameters = FloatType::tf32}});
}

TEST(DeviceFloat32Norm, RefusesATensorOfAnotherFormatThanTheOptions) {
  const auto device = device::simulated_device();
  const DeviceNumbers x = upload_numbers(*device, FloatType::float16, {{1, 2}, {3, 4}});
  EXPECT_EQ(refusal([&] { float32_norm({.storage = FloatType::bfloat16}, {.x = x}); }),
            "float32_norm: x is float16; expected bfloat16, as the options have it (C12)");
}

}  // namespace
}  // namespace normproof::gpu::norm
