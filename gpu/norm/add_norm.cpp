#include "gpu/norm/add_norm.hpp"

#include "gpu/norm/layer_norm.hpp"
#include "gpu/norm/layer_support.hpp"
#include "gpu/norm/rms_norm.hpp"
#include "gpu/ops/arithmetic.hpp"

namespace normproof::gpu::norm {

namespace {

/// Replaces the input `in.x` by the sum of x and the residual.
void add_residual(std::string_view function, NormInputs& in, const DeviceTensor<double>& residual,
                  NormStep& step) {
  check_shape(function, "residual", residual.shape(), in.x.shape(), Clause::C1);
  in.x = ops::add(in.x, residual);
  check_finite(function, "x + residual", in.x, Clause::C2);
  step.outputs.set("sum", in.x);
}

void add_sum_gradient(std::string_view function, const DeviceTensor<double>& grad_sum,
                      NormStep& step) {
  if (!grad_sum.is_given()) return;
  const DeviceTensor<double> grad_x = step.outputs.get("grad_x");
  check_shape(function, "grad_sum", grad_sum.shape(), grad_x.shape(), Clause::C3);
  const DeviceTensor<double> whole = ops::add(grad_x, grad_sum);
  check_finite(function, "grad_x", whole, Clause::C4);
  step.outputs.set("grad_x", whole);
}

}  // namespace

void add_layer_norm(const ref::model::LayerNormOptions& options, NormInputs in,
                    const DeviceTensor<double>& residual, NormStep& step) {
  add_residual("add_layer_norm", in, residual, step);
  layer_norm(options, in, step);
}

void add_layer_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                             const NormStep& forward, NormStep& step) {
  in.x = forward.outputs.get("sum");
  layer_norm_backward(in, forward, step);
  add_sum_gradient("add_layer_norm_backward", grad_sum, step);
}

void add_rms_norm(const ref::model::RMSNormOptions& options, NormInputs in,
                  const DeviceTensor<double>& residual, NormStep& step) {
  add_residual("add_rms_norm", in, residual, step);
  rms_norm(options, in, step);
}

void add_rms_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                           const NormStep& forward, NormStep& step) {
  in.x = forward.outputs.get("sum");
  rms_norm_backward(in, forward, step);
  add_sum_gradient("add_rms_norm_backward", grad_sum, step);
}

}  // namespace normproof::gpu::norm
