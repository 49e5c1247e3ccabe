#include "verification/agreement/float32_norms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/norm/float32_norm.hpp"
#include "ref/norm/float32_norm.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/agreement/random_cases.hpp"

namespace normproof::verification::agreement {

namespace {

using gpu::device::Device;
using gpu::device::download;
using gpu::norm::download_numbers;
using gpu::norm::upload_numbers;
using ref::model::Float32NormOptions;
using ref::numeric::FloatType;
using ref::tensor::convert;
using ref::tensor::is_given;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// Values of all magnitudes between 2^-20 and 2^20, those that the format holds: no smaller than
/// 2^-14 and no larger than 2^14, so that float16 rounds to few infinities.
Tensor<float> random_numbers(std::uint64_t seed, const std::string& name, const Shape& shape,
                             FloatType format) {
  Tensor<double> values = random_tensor(seed, name, shape);
  for (double& v : values) v = round_to(format, std::clamp(v, -0x1p14, 0x1p14));
  return convert<float>(values);
}

struct Inputs {
  Tensor<float> x, grad_y;
  ref::norm::Affine<float> affine;
};

void agree_on_one(Device& device, const Float32NormOptions& options, const Inputs& in,
                  const std::string& case_name, Rows& rows) {
  rows.begin(float32_norm_row(options.storage), case_name);
  const gpu::norm::Float32NormInputs there{
      .x = upload_numbers(device, options.storage, in.x),
      .gamma = upload_numbers(device, options.parameters, in.affine.gamma),
      .beta = upload_numbers(device, options.parameters, in.affine.beta),
      .grad_y = upload_numbers(device, options.storage, in.grad_y)};
  const auto compare = [&](const char* name, const Tensor<float>& got,
                           const Tensor<float>& expected) {
    if (!is_given(got) && !is_given(expected)) return;  // of no rows
    rows.compare(name, convert<double>(got), convert<double>(expected));
  };
  const auto expected = ref::norm::float32_norm(in.x, in.affine, options);
  const auto got = gpu::norm::float32_norm(options, there);
  compare("y", download_numbers(got.y), expected.y);
  compare("rstd", download(got.rstd), expected.rstd);
  if (options.centred) compare("mean", download(got.mean), expected.mean);
  const auto gradients =
      ref::norm::float32_norm_backward(in.grad_y, in.x, in.affine, expected, options);
  const auto back = gpu::norm::float32_norm_backward(options, there, got);
  compare("grad_x", download_numbers(back.grad_x), gradients.grad_x);
  compare("grad_gamma", download_numbers(back.grad_gamma), gradients.grad_gamma);
  compare("grad_beta", download_numbers(back.grad_beta), gradients.grad_beta);
}

}  // namespace

std::string float32_norm_row(FloatType format) {
  return fmt::format("float32_norm_{}", ref::numeric::format_of(format).name);
}

void agree_on_float32_norms(Device& device, std::uint64_t seed, FloatType format, Rows& rows) {
  struct Sample {
    std::size_t count, width;
    bool affine;
    FloatType parameters;
    bool zero_centred_gamma;
  };
  const Sample samples[] = {
      {1, 1, true, format, false},     {0, 5, true, format, false},
      {3, 33, false, format, false},   {67, 75, true, FloatType::float32, false},
      {34, 256, true, format, true},   {7, 1025, true, FloatType::bfloat16, false},
      {5, 4099, true, format, false},  {2, 16384, true, FloatType::float16, false},
      {2, 40003, true, format, false}, {65537, 3, true, format, false}};
  for (const bool centred : {true, false}) {
    for (const Sample& sample : samples) {
      const Shape shape{sample.count, sample.width};
      const auto name =
          fmt::format("{} {}, parameters {}", centred ? "layer_norm" : "rms_norm",
                      ref::tensor::to_string(shape),
                      sample.affine ? ref::numeric::format_of(sample.parameters).name : "absent");
      const auto numbers = [&](const char* of, const Shape& extents, FloatType type) {
        return random_numbers(seed, fmt::format("{}/{}", name, of), extents, type);
      };
      Inputs in{numbers("x", shape, format), numbers("grad_y", shape, format), {}};
      if (sample.affine)
        in.affine = {numbers("gamma", {sample.width}, sample.parameters),
                     numbers("beta", {sample.width}, sample.parameters)};
      agree_on_one(device,
                   {.centred = centred,
                    .zero_centred_gamma = sample.zero_centred_gamma,
                    .storage = format,
                    .parameters = sample.parameters},
                   in, name, rows);
    }
  }
}

}  // namespace normproof::verification::agreement
