#include "ref/norm/instance_norm.hpp"

#include "ref/norm/group_norm.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {
namespace {

/// Returns the options with which group_norm computes what instance_norm computes: one group per
/// feature.
model::GroupNormOptions channel_group_options(const Shape& x_shape, double eps) {
  const std::size_t d_model = x_shape.empty() ? 0 : x_shape.back();
  return {.eps = eps, .groups = static_cast<std::int64_t>(d_model)};
}

}  // namespace

template <numeric::Real T>
InstanceNormForward<T> instance_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                     const model::InstanceNormOptions& options) {
  tensor::check_activations("instance_norm", "x", shape_of(x));
  auto result = group_norm(x, affine, valid, channel_group_options(shape_of(x), options.eps));
  return {std::move(result.y), {std::move(result.saved.mean), std::move(result.saved.rstd)}};
}

template <numeric::Real T>
AffineGradients<T> instance_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                          const Affine<T>& affine, const Mask& valid,
                                          const InstanceNormSaved<T>& saved) {
  tensor::check_activations("instance_norm_backward", "x", shape_of(x));
  return group_norm_backward(grad_y, x, affine, valid, {saved.mean, saved.rstd},
                             channel_group_options(shape_of(x), 0.0));
}

#define NORMPROOF_INSTANTIATE(T)                                                                 \
  template InstanceNormForward<T> instance_norm(const Tensor<T>&, const Affine<T>&, const Mask&, \
                                                const model::InstanceNormOptions&);              \
  template AffineGradients<T> instance_norm_backward(const Tensor<T>&, const Tensor<T>&,         \
                                                     const Affine<T>&, const Mask&,              \
                                                     const InstanceNormSaved<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
