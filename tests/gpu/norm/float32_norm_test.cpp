#include "gpu/norm/float32_norm.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "gpu/norm/tiled_row.hpp"
#include "ref/norm/float32_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::Float32NormOptions;
using ref::model::kRowsPerRun;
using ref::tensor::Shape;
using RefAffine = ref::norm::Affine<float>;

constexpr FloatType kStorageFormats[] = {FloatType::float32, FloatType::bfloat16,
                                         FloatType::float16};

Tensor<float> round_to_storage_format(FloatType type, Tensor<double> values) {
  for (double& v : values) v = round_to(type, v);
  return ref::tensor::convert<float>(values);
}
Tensor<float> round_to_storage_format(FloatType type, const Shape& shape, std::string_view name) {
  return round_to_storage_format(type, type == FloatType::float16
                                           ? random_normal_tensor(shape, name)
                                           : random_wide_range_tensor(shape, name));
}

/// Expects two tensors with equal bits, or two absent tensors. The shapes of absent tensors may
/// differ.
void expect_same_doubles(const Tensor<double>& got, const Tensor<double>& expected) {
  if (!ref::tensor::is_given(got) && !ref::tensor::is_given(expected)) return;
  EXPECT_BITS_EQ(got, expected);
}
void expect_same_floats(const Tensor<float>& got, const Tensor<float>& expected) {
  expect_same_doubles(ref::tensor::convert<double>(got), ref::tensor::convert<double>(expected));
}

/// Expects the norm and its gradients to have the bits of the reference on every device of the list
/// `on`. The input of the norm is x, or x + residual if `adds` is true.
void expect_float32_bits(const Float32NormOptions& options, const Shape& shape, bool affine,
                         const std::vector<std::unique_ptr<device::Device>>& on,
                         bool adds = false) {
  SCOPED_TRACE(testing::Message() << (options.centred ? "layer_norm " : "rms_norm ") << shape[0]
                                  << " x " << shape[1] << " "
                                  << ref::numeric::float_format_info(options.storage).name << " in "
                                  << ref::numeric::float_format_info(options.arithmetic).name
                                  << (adds ? " of a sum" : ""));
  const auto numbers = [&](const char* name) {
    return round_to_storage_format(options.storage, shape, name);
  };
  const Tensor<float> x = numbers("x"), grad_y = numbers("grad_y");
  const Tensor<float> residual = adds ? numbers("residual") : Tensor<float>();
  const Tensor<float> grad_sum = adds ? numbers("grad_sum") : Tensor<float>();
  RefAffine affine_parameters;
  if (affine)
    affine_parameters = {round_to_storage_format(options.parameters, {shape[1]}, "gamma"),
                         round_to_storage_format(options.parameters, {shape[1]}, "beta")};
  ref::norm::Float32AddNormForward expected{x, {}};
  if (adds)
    expected = ref::norm::float32_add_norm(x, residual, affine_parameters, options);
  else
    expected.norm = ref::norm::float32_norm(x, affine_parameters, options);
  const auto gradients = ref::norm::float32_norm_backward(grad_y, expected.sum, affine_parameters,
                                                          expected.norm, options, grad_sum);
  for (const auto& device : on) {
    const auto given = [&](const Tensor<float>& t) {
      return upload_numbers(*device, options.storage, t);
    };
    const Float32NormInputs in{
        .x = given(x),
        .gamma = upload_numbers(*device, options.parameters, affine_parameters.gamma),
        .beta = upload_numbers(*device, options.parameters, affine_parameters.beta),
        .grad_y = given(grad_y),
        .residual = given(residual),
        .grad_sum = given(grad_sum)};
    const Float32NormForward got = float32_norm(options, in);
    if (adds) expect_same_floats(download_numbers(got.sum), expected.sum);
    expect_same_floats(download_numbers(got.y), expected.norm.y);
    expect_same_doubles(download_doubles(got.rstd), expected.norm.rstd);
    expect_same_doubles(download_doubles(got.mean), expected.norm.mean);
    const Float32NormGradients back = float32_norm_backward(options, in, got);
    expect_same_floats(download_numbers(back.grad_x), gradients.grad_x);
    expect_same_floats(download_numbers(back.grad_gamma), gradients.grad_gamma);
    expect_same_floats(download_numbers(back.grad_beta), gradients.grad_beta);
  }
}

void for_each_float32_layer(const std::function<void(Float32NormOptions)>& f) {
  for (const FloatType type : kStorageFormats)
    for (const bool centred : {true, false})
      f({.centred = centred, .storage = type, .parameters = type});
}

/// Returns two simulated devices: the first runs kernels without thread block clusters, the second
/// with them.
std::vector<std::unique_ptr<device::Device>> devices_with_and_without_clusters() {
  std::vector<std::unique_ptr<device::Device>> on;
  for (const std::uint64_t seed : {4, 5}) on.push_back(device::simulated_device(seed));
  return on;
}

TEST(DeviceFloat32Norm, MatchesReferenceBitsForWidthsThatAreNotMultiplesOfTheVectorSize) {
  const auto on = make_simulated_devices();
  for_each_float32_layer([&](const Float32NormOptions& options) {
    for (std::size_t width = 1; width <= 35; ++width)
      expect_float32_bits(options, {3, width}, width % 2 == 0, on);
    for (const std::size_t width : {63, 64, 65, 127, 128, 129, 257})
      expect_float32_bits(options, {2, width}, true, on, width % 2 == 0);
  });
}

TEST(DeviceFloat32Norm, MatchesReferenceBitsForAnyNumberOfRows) {
  const auto on = make_simulated_devices();
  for_each_float32_layer([&](const Float32NormOptions& options) {
    for (const std::size_t rows : {0, 1, 31, 32, 33, 65, 161})
      expect_float32_bits(options, {rows, 12}, true, on, rows % 2 == 0);
    expect_float32_bits(options, {97, 8}, false, on);
  });
}

TEST(DeviceFloat32Norm, MatchesReferenceBitsInDoubleArithmetic) {
  const auto on = make_simulated_devices();
  for_each_float32_layer([&](Float32NormOptions options) {
    options.arithmetic = FloatType::float64;
    for (const std::size_t width : {1, 7, 16, 33, 257})
      expect_float32_bits(options, {37, width}, true, on, width % 2 == 0);
    options.zero_centred_gamma = true;
    expect_float32_bits(options, {3, 1029}, true, on, true);
  });
}

/// Tests widths with which a row just fills a tile, and widths that are smaller or larger by 1.
TEST(DeviceFloat32Norm, MatchesReferenceBitsAtTileBoundaries) {
  const auto on = devices_with_and_without_clusters();
  for_each_float32_layer([&](const Float32NormOptions& options) {
    const std::size_t slot = options.storage == FloatType::float32 ? 4 : 8;
    for (const std::size_t tile :
         {NarrowTile::kSlots * slot, WideTile<2>::kSlots * slot, WideTile<1>::kSlots * slot})
      for (const std::size_t width :
           {tile - slot - 1, tile - slot, tile - slot + 1, tile - 1, tile, tile + 1})
        expect_float32_bits(options, {2, width}, true, on, width % 2 == 0);
  });
}

/// Tests rows that fill one tile, rows that fill the tiles of a cluster, and rows with more tiles
/// than a cluster has blocks.
TEST(DeviceFloat32Norm, MatchesReferenceBitsForRowsLargerThanACluster) {
  const auto on = devices_with_and_without_clusters();
  for_each_float32_layer([&](Float32NormOptions options) {
    for (const std::size_t width : {16384, 16385, 32771}) {
      options.arithmetic = width == 16385 ? FloatType::float64 : FloatType::float32;
      expect_float32_bits(options, {3, width}, true, on, width % 2 == 1);
    }
  });
  const Float32NormOptions options{.storage = FloatType::bfloat16};
  expect_float32_bits(options, {2, 65541}, true, on);
  expect_float32_bits(options, {1, 131081}, true, on, true);
}

/// Tests every kernel of the backward. Depending on the row's length, a warp, a block or a cluster
/// processes one run of 32 rows, or a block processes the run tile by tile.
TEST(DeviceFloat32Norm, MatchesReferenceBitsIfTheLastRunOfRowsIsPartial) {
  static_assert(kRowsPerRun == 32);
  const auto on = devices_with_and_without_clusters();
  for (const FloatType type : kStorageFormats) {
    const Float32NormOptions options{.storage = type, .parameters = type};
    for (const std::size_t rows : {1, 31, 33, 64})
      expect_float32_bits(options, {rows, 1032}, true, on, rows == 33);
    for (const std::size_t width : {8193, 24570})
      expect_float32_bits(options, {33, width}, true, on, width == 8193);
  }
}

/// Tests the second stage of the backward, which adds the sums of the runs of rows in 32 lanes. The
/// test covers one run per lane and several runs per lane.
TEST(DeviceFloat32Norm, MatchesReferenceBitsForMoreRunsOfRowsThanSummationLanes) {
  const auto on = make_simulated_devices();
  for_each_float32_layer([&](Float32NormOptions options) {
    for (const std::size_t rows : {31 * 32 + 1, 32 * 32, 32 * 32 + 1, 70 * 32 + 5}) {
      expect_float32_bits(options, {rows, 9}, true, on, rows % 2 == 0);
      options.arithmetic = FloatType::float64;
    }
    expect_float32_bits(options, {33 * 32 + 1, 16}, false, on);
  });
}

TEST(DeviceFloat32Norm, MatchesReferenceBitsForOtherParameterFormatsAndZeroCenteredGamma) {
  const auto on = make_simulated_devices();
  for_each_float32_layer([&](Float32NormOptions options) {
    for (const FloatType parameters : kStorageFormats) {
      options.parameters = parameters;
      options.zero_centred_gamma = !options.zero_centred_gamma;
      options.eps = 0x1p-7;
      expect_float32_bits(options, {37, 19}, true, on);
    }
  });
}

TEST(DeviceFloat32Norm, PropagatesNonFiniteInputsLikeReference) {
  const auto device = device::simulated_device(3);
  Tensor<float> x = round_to_storage_format(FloatType::float32, {3, 9}, "x");
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

TEST(DeviceFloat32Norm, RejectsTheInputsThatTheReferenceRejects) {
  const auto device = device::simulated_device();
  struct RejectedCase {
    Shape x = {3, 4}, grad_y = {3, 4}, gamma = {4};
    Shape residual = {3, 4}, grad_sum = {3, 4};
    std::size_t saved = 3;
    Float32NormOptions options = {.storage = FloatType::float32, .parameters = FloatType::float32};
  };
  const auto full = [](const Shape& shape) { return ref::tensor::full_tensor<float>(shape, 1); };
  const auto upload = [&](const Shape& shape) {
    return upload_numbers(*device, FloatType::float32, full(shape));
  };
  const auto both_refuse = [&](const RejectedCase& given) {
    const std::string expected = refusal_message([&] {
      const RefAffine affine_parameters{full(given.gamma), {}};
      ref::norm::float32_add_norm(full(given.x), full(given.residual), affine_parameters,
                                  given.options);
      const Tensor<double> saved = ref::tensor::full_tensor<double>({given.saved}, 1);
      ref::norm::float32_norm_backward(full(given.grad_y), full(given.x), affine_parameters,
                                       {{}, saved, saved}, given.options, full(given.grad_sum));
    });
    EXPECT_NE(expected, kNoError);
    const auto got = refusal_message([&] {
      const Float32NormInputs in{.x = upload(given.x),
                                 .gamma = upload(given.gamma),
                                 .grad_y = upload(given.grad_y),
                                 .residual = upload(given.residual),
                                 .grad_sum = upload(given.grad_sum)};
      float32_norm(given.options, in);
      const Float32NormForward forward{{}, upload({given.saved}), upload({given.saved})};
      float32_norm_backward(given.options, in, forward);
    });
    EXPECT_EQ(got, expected);
  };
  both_refuse({.x = {3, 0}});
  both_refuse({.x = {3, 4, 1}});
  both_refuse({.grad_y = {4, 3}});
  both_refuse({.gamma = {5}});
  both_refuse({.residual = {4, 3}});
  both_refuse({.grad_sum = {3, 5}});
  both_refuse({.saved = 2});
  both_refuse({.options = {.eps = -1}});
  both_refuse({.options = {.storage = FloatType::float64}});
  both_refuse({.options = {.storage = FloatType::float32, .parameters = FloatType::tf32}});
  both_refuse({.options = {.storage = FloatType::float32,
                           .parameters = FloatType::float32,
                           .arithmetic = FloatType::float16}});
}

TEST(DeviceFloat32Norm, RejectsTensorsOfWrongFormat) {
  const auto device = device::simulated_device();
  const DeviceNumbers x = upload_numbers(*device, FloatType::float16, {{1, 2}, {3, 4}});
  EXPECT_EQ(refusal_message([&] { float32_norm({.storage = FloatType::bfloat16}, {.x = x}); }),
            "float32_norm: x is float16; expected bfloat16, as the options have it (C12)");
  const Float32NormOptions options{.storage = FloatType::float16, .arithmetic = FloatType::float64};
  Float32NormForward forward = float32_norm(options, {.x = x});
  forward.rstd = upload_numbers(*device, FloatType::float32, {1, 2});
  EXPECT_EQ(
      refusal_message([&] { float32_norm_backward(options, {.x = x, .grad_y = x}, forward); }),
      "float32_norm_backward: rstd is float32; expected float64, as the options have it (C12)");
}

}  // namespace
}  // namespace normproof::gpu::norm
