#include "ref/norm/group_scaling.hpp"

#include "ref/norm/group_scaling_formula.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {
namespace {

Shape statistics_shape(const Shape& x_shape, std::size_t groups) {
  Shape shape = row_shape(x_shape);
  shape.push_back(groups);
  return shape;
}

/// Returns a layout in which a row is one group of features of one token.
ops::RowLayout group_layout(const Extents& e, std::size_t groups) {
  return {e.rows() * groups, e.d_model / groups};
}

}  // namespace

template <numeric::Real T>
GroupScalingForward<T> group_scaling(const Tensor<T>& x,
                                     const model::GroupScalingOptions& options) {
  constexpr auto kName = "group_scaling";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  check_eps(kName, options.eps);

  GroupScalingForward<T> result{tensor::empty_tensor<T>(shape_of(x)),
                                tensor::empty_tensor<T>(statistics_shape(shape_of(x), groups))};
  run_on_rows(GroupScalingRows<T>{.layout = group_layout(e, groups),
                                  .x = x.data(),
                                  .eps = T(options.eps),
                                  .y = result.y.data(),
                                  .rstd = result.rstd.data()});
  check_reciprocal(kName, "rstd", result.rstd, "x", x);
  return result;
}

template <numeric::Real T>
Tensor<T> group_scaling_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& rstd,
                                 const model::GroupScalingOptions& options) {
  constexpr auto kName = "group_scaling_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  check_backward(kName, grad_y, x, "rstd", rstd, statistics_shape(shape_of(x), groups));

  Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(x));
  run_on_rows(GroupScalingBackwardRows<T>{.layout = group_layout(e, groups),
                                          .grad_y = grad_y.data(),
                                          .x = x.data(),
                                          .rstd = rstd.data(),
                                          .grad_x = grad_x.data()});
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C7);
  return grad_x;
}

#define NORMPROOF_INSTANTIATE(T)                                                                  \
  template GroupScalingForward<T> group_scaling(const Tensor<T>&,                                 \
                                                const model::GroupScalingOptions&);               \
  template Tensor<T> group_scaling_backward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, \
                                            const model::GroupScalingOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
