#include "ref/norm/group_scaling.hpp"

#include "ref/norm/row_layer.hpp"

namespace normproof::ref::norm {
namespace {

Shape statistics_shape(const Shape& x_shape, std::size_t groups) {
  Shape shape = row_shape(x_shape);
  shape.push_back(groups);
  return shape;
}

}  // namespace

template <numeric::Real T>
GroupScalingForward<T> group_scaling(const Tensor<T>& x,
                                     const model::GroupScalingOptions& options) {
  constexpr auto kName = "group_scaling";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  auto result = row_forward<false, T>(kName, x, nullptr, options.eps, groups,
                                      statistics_shape(shape_of(x), groups));
  return {std::move(result.y), std::move(result.rstd)};
}

template <numeric::Real T>
Tensor<T> group_scaling_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& rstd,
                                 const model::GroupScalingOptions& options) {
  constexpr auto kName = "group_scaling_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  return row_backward<false, T>(kName, grad_y, x, nullptr, nullptr, rstd, groups,
                                statistics_shape(shape_of(x), groups))
      .grad_x;
}

#define NORMPROOF_INSTANTIATE(T)                                                                  \
  template GroupScalingForward<T> group_scaling(const Tensor<T>&,                                 \
                                                const model::GroupScalingOptions&);               \
  template Tensor<T> group_scaling_backward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, \
                                            const model::GroupScalingOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
