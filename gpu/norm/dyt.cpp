#include "gpu/norm/dyt.hpp"

#include "gpu/norm/dyt_kernels.hpp"
#include "gpu/norm/layer_support.hpp"
#include "gpu/ops/elementary.hpp"
#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {
namespace {

/// The part that forward and backward of dynamic tanh share: the checks, and t = tanh(alpha x).
struct TanhOfAlphaX {
  Extents extents;
  AffineSpans affine;
  Alpha alpha;
  DeviceTensor<double> t;
};

TanhOfAlphaX check_and_compute_tanh(std::string_view function,
                                    const ref::model::DyTOptions& options, const NormInputs& in,
                                    bool backward) {
  const Extents e = check_x(function, in);
  const AffineSpans affine = check_affine(function, in, e.d_model);
  check_option(function, "alpha0", options.alpha0, ref::numeric::is_finite(options.alpha0),
               "a finite number", Clause::C2);
  const DeviceTensor<double> given = get_parameter(in, "alpha");
  if (given.is_given()) {
    check_shape(function, "alpha", given.shape(), {1}, Clause::C3);
    check_finite(function, "alpha", given, Clause::C4);
  }
  const Alpha alpha{given.span(), options.alpha0};
  if (backward) check_shape(function, "grad_y", in.grad_y.shape(), in.x.shape(), Clause::C5);
  check_finite(function, "x", in.x, Clause::C4);
  DeviceTensor<double> u(in.x.device(), in.x.shape());
  launch_elements(u.device(), u.size(), DyTArgument{in.x.span(), alpha, u.span()});
  return {e, affine, alpha, ops::tanh(u)};
}

}  // namespace

void dyt(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step) {
  const TanhOfAlphaX s = check_and_compute_tanh("dyt", options, in, false);
  DeviceTensor<double> y(in.x.device(), in.x.shape());
  launch_elements(y.device(), y.size(),
                  DyTOutput{s.t.span(), s.affine, s.extents.d_model, y.span()});
  step.outputs.set("y", std::move(y));
}

void dyt_backward(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "dyt_backward";
  const TanhOfAlphaX s = check_and_compute_tanh(kName, options, in, true);
  Device& device = in.x.device();
  const std::size_t rows = s.extents.rows(), width = s.extents.d_model;
  const DyTSlope grad_u{in.grad_y.span(), s.t.span(), s.affine, width};
  DeviceTensor<double> grad_x(device, in.x.shape());
  launch_elements(device, grad_x.size(), DyTBackward{grad_u, s.alpha, grad_x.span()});
  DeviceTensor<double> grad_alpha =
      ops::sum_elements(ops::column_sum(device, rows, width, DyTAlphaTerm{grad_u, in.x.span()}));
  store_gradients(
      kName, in, std::move(grad_x),
      ops::column_sum(device, rows, width, DyTGammaTerm{in.grad_y.span(), s.t.span(), width}),
      ops::sum_columns(in.grad_y), step);
  check_statistic(kName, "grad_alpha", grad_alpha, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  step.outputs.set("grad_alpha", std::move(grad_alpha));
}

}  // namespace normproof::gpu::norm
