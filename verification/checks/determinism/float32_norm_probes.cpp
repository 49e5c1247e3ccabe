#include "ref/norm/float32_norm.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace norm = ref::norm;
using ref::model::Float32NormOptions;
using ref::numeric::FloatType;
using ref::tensor::Shape;
using ref::tensor::Tensor;

Tensor<float> make_numbers(FloatType type, Inputs& inputs, const Shape& shape) {
  Tensor<double> values = inputs.draw_normals(shape);
  for (double& v : values) v = round_to(type, v);
  return ref::tensor::convert<float>(values);
}

/// Runs the forward and the backward of a norm. If `adds` is true, the norm is applied to x +
/// residual, otherwise to x.
void run(const Float32NormOptions& options, const Shape& shape, bool adds, bool folded,
         Inputs& inputs, Values& values) {
  const auto keep = [&](const auto& t) {
    const Tensor<double> exact = ref::tensor::convert<double>(t);
    if (folded)
      values.add_block_hashes(exact);
    else
      values.add(exact);
  };
  const auto tensor = [&] { return make_numbers(options.storage, inputs, shape); };
  const auto parameter = [&] { return make_numbers(options.parameters, inputs, {shape[1]}); };
  const Tensor<float> x = tensor(), grad_y = tensor();
  norm::Affine<float> affine;
  affine.gamma = parameter();
  affine.beta = parameter();
  norm::Float32AddNormForward forward{x, {}};
  Tensor<float> grad_sum;
  if (adds) {
    const Tensor<float> residual = tensor();
    grad_sum = tensor();
    forward = norm::float32_add_norm(x, residual, affine, options);
    keep(forward.sum);
  } else {
    forward.norm = norm::float32_norm(x, affine, options);
  }
  keep(forward.norm.y);
  keep(forward.norm.rstd);
  if (options.centred) keep(forward.norm.mean);
  const auto gradients =
      norm::float32_norm_backward(grad_y, forward.sum, affine, forward.norm, options, grad_sum);
  keep(gradients.grad_x);
  keep(gradients.grad_gamma);
  keep(gradients.grad_beta);
}

}  // namespace

void add_float32_norm_probes(std::vector<Probe>& probes) {
  for (const bool centred : {true, false}) {
    for (const FloatType storage : {FloatType::float32, FloatType::bfloat16, FloatType::float16}) {
      for (const FloatType arithmetic : {FloatType::float32, FloatType::float64}) {
        const Float32NormOptions options{.centred = centred,
                                         .storage = storage,
                                         .parameters = FloatType::float32,
                                         .arithmetic = arithmetic};
        const std::string name = std::string("norm/float32_norm_runs_") +
                                 (centred ? "layer_" : "rms_") + float_format_info(storage).name +
                                 (arithmetic == FloatType::float64 ? "_in_float64" : "");
        probes.push_back({name, [=](Values& values) {
                            Inputs inputs(name);
                            run(options, {7, 6}, false, false, inputs, values);
                            run(options, {33, 67}, true, true, inputs, values);
                            run(options, {131, 4}, false, true, inputs, values);
                          }});
      }
    }
    // This tensor is large enough to be shared by four threads.
    const std::string name =
        std::string("norm/float32_norm_runs_") + (centred ? "layer" : "rms") + "_shared";
    probes.push_back({name, [=](Values& values) {
                        Inputs inputs(name);
                        run({.centred = centred}, {400, 340}, true, true, inputs, values);
                      }});
  }
}

}  // namespace normproof::verification::checks::determinism
