#include "verification/checks/agreement/float32_norms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/norm/float32_norm.hpp"
#include "ref/norm/float32_norm.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/agreement/random_cases.hpp"

namespace normproof::verification::checks::agreement {

namespace {

using gpu::device::Device;
using gpu::norm::download_doubles;
using gpu::norm::upload_numbers;
using ref::model::Float32NormOptions;
using ref::numeric::FloatType;
using ref::tensor::convert;
using ref::tensor::is_given;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// Returns random numbers that the format can represent. Their magnitudes are from 2^-20 to 2^20,
/// or from 2^-14 to 2^14 for float16, so that few results are infinite.
Tensor<float> random_numbers(std::uint64_t seed, const std::string& name, const Shape& shape,
                             FloatType format) {
  Tensor<double> values = random_tensor(seed, name, shape);
  for (double& v : values) v = round_to(format, std::clamp(v, -0x1p14, 0x1p14));
  return convert<float>(values);
}

/// The inputs of a case. Only add_layer_norm and add_rms_norm use residual and grad_sum.
struct Inputs {
  Tensor<float> x, grad_y, residual, grad_sum;
  ref::norm::Affine<float> affine;
};

void compare_one_case(Device& device, const Float32NormOptions& options, const Inputs& in,
                      const std::string& case_name, Rows& rows) {
  rows.begin(float32_norm_row(options.storage), case_name);
  const auto given = [&](const Tensor<float>& t) {
    return upload_numbers(device, options.storage, t);
  };
  const gpu::norm::Float32NormInputs there{
      .x = given(in.x),
      .gamma = upload_numbers(device, options.parameters, in.affine.gamma),
      .beta = upload_numbers(device, options.parameters, in.affine.beta),
      .grad_y = given(in.grad_y),
      .residual = given(in.residual),
      .grad_sum = given(in.grad_sum)};
  const auto compare_doubles = [&](const char* name, const Tensor<double>& got,
                                   const Tensor<double>& expected) {
    // Both tensors may be empty, if there are no rows.
    if (is_given(got) || is_given(expected)) rows.compare(name, got, expected);
  };
  const auto compare = [&](const char* name, const gpu::norm::DeviceNumbers& got,
                           const Tensor<float>& expected) {
    compare_doubles(name, download_doubles(got), convert<double>(expected));
  };
  ref::norm::Float32AddNormForward expected{in.x, {}};
  if (is_given(in.residual))
    expected = ref::norm::float32_add_norm(in.x, in.residual, in.affine, options);
  else
    expected.norm = ref::norm::float32_norm(in.x, in.affine, options);
  const auto got = gpu::norm::float32_norm(options, there);
  if (is_given(in.residual)) compare("sum", got.sum, expected.sum);
  compare("y", got.y, expected.norm.y);
  compare_doubles("rstd", download_doubles(got.rstd), expected.norm.rstd);
  if (options.centred) compare_doubles("mean", download_doubles(got.mean), expected.norm.mean);
  const auto gradients = ref::norm::float32_norm_backward(in.grad_y, expected.sum, in.affine,
                                                          expected.norm, options, in.grad_sum);
  const auto back = gpu::norm::float32_norm_backward(options, there, got);
  compare("grad_x", back.grad_x, gradients.grad_x);
  compare("grad_gamma", back.grad_gamma, gradients.grad_gamma);
  compare("grad_beta", back.grad_beta, gradients.grad_beta);
}

/// The properties of a case: the number of rows, the number of features, and unusual options.
struct Sample {
  std::size_t count, width;
  bool affine = true;
  std::optional<FloatType> parameters = {};  ///< if empty, the format of the tensors
  bool zero_centred_gamma = false;
  bool adds = false;
  FloatType arithmetic = FloatType::float32;
};

const Sample kSamples[] = {
    {.count = 1, .width = 1},
    {.count = 0, .width = 5},
    {.count = 3, .width = 33, .affine = false},
    {.count = 67, .width = 75, .parameters = FloatType::float32},
    {.count = 34, .width = 256, .zero_centred_gamma = true},
    {.count = 7, .width = 1025, .parameters = FloatType::bfloat16},
    {.count = 5, .width = 4099},
    {.count = 2, .width = 16384, .parameters = FloatType::float16},
    {.count = 2, .width = 40003},
    {.count = 65537, .width = 3},
    {.count = 37, .width = 131, .adds = true},
    {.count = 2, .width = 16385, .adds = true},
    {.count = 33, .width = 64, .arithmetic = FloatType::float64},
    {.count = 3, .width = 32771, .adds = true, .arithmetic = FloatType::float64}};

std::string name_of(const Sample& sample, bool centred, FloatType parameters) {
  return fmt::format("{} {}, parameters {}{}{}", centred ? "layer_norm" : "rms_norm",
                     ref::tensor::to_string(Shape{sample.count, sample.width}),
                     sample.affine ? ref::numeric::float_format_info(parameters).name : "absent",
                     sample.adds ? ", of a sum" : "",
                     sample.arithmetic == FloatType::float64 ? ", in double" : "");
}

}  // namespace

std::string float32_norm_row(FloatType format) {
  return fmt::format("float32_norm_{}", ref::numeric::float_format_info(format).name);
}

void compare_float32_norms(Device& device, std::uint64_t seed, FloatType format, Rows& rows) {
  for (const bool centred : {true, false}) {
    for (const Sample& sample : kSamples) {
      const FloatType parameters = sample.parameters.value_or(format);
      const std::string name = name_of(sample, centred, parameters);
      const Shape shape{sample.count, sample.width};
      const auto numbers = [&](const char* of, const Shape& extents, FloatType type) {
        return random_numbers(seed, fmt::format("{}/{}", name, of), extents, type);
      };
      Inputs in{numbers("x", shape, format), numbers("grad_y", shape, format), {}, {}, {}};
      if (sample.adds) {
        in.residual = numbers("residual", shape, format);
        in.grad_sum = numbers("grad_sum", shape, format);
      }
      if (sample.affine)
        in.affine = {numbers("gamma", {sample.width}, parameters),
                     numbers("beta", {sample.width}, parameters)};
      compare_one_case(device,
                       {.centred = centred,
                        .zero_centred_gamma = sample.zero_centred_gamma,
                        .storage = format,
                        .parameters = parameters,
                        .arithmetic = sample.arithmetic},
                       in, name, rows);
    }
  }
}

}  // namespace normproof::verification::checks::agreement
