#pragma once

#include "ref/norm/layer_norm.hpp"
#include "ref/norm/rms_norm.hpp"

/// Functions that normalize the sum of two tensors, as residual connections do. In the text below,
/// the layer is layer_norm or rms_norm. The following holds for all of them:
///
/// Source    docs/specification/norms.md; the formulas of layer_norm.hpp and rms_norm.hpp
/// Shapes    x, residual, sum, y, grad_y, grad_sum, grad_x [N,D] or [B,T,D]; parameters, their
///           gradients and saved statistics as in the layer
/// Requires  the sum x + residual satisfies what the layer requires of its x
/// Order     rule R4 for both additions of two tensors, one operation per element; otherwise as in
///           the layer
/// Throws    ContractError
namespace normproof::ref::norm {

template <class T>
struct AddLayerNormForward {
  Tensor<T> y;
  Tensor<T> sum;
  LayerNormSaved<T> saved;
};
template <class T>
struct AddRMSNormForward {
  Tensor<T> y;
  Tensor<T> sum;
  RMSNormSaved<T> saved;
};

/// Adds the residual and applies layer_norm to the sum.
/// Computes  sum = x + residual ; y = layer_norm(sum)
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
template <numeric::Real T>
AddLayerNormForward<T> add_layer_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                      const Affine<T>& affine,
                                      const model::LayerNormOptions& options = {});
/// Returns the gradients of add_layer_norm.
/// Computes  grad_x = layer_norm_backward(grad_y, sum) + grad_sum, which is also the gradient of
///           the residual; grad_gamma and grad_beta are what layer_norm_backward returns
/// Requires  (C3) grad_sum has the shape of sum, or is empty and counts as zeros
///           (C4) grad_x is finite
template <numeric::Real T>
AffineGradients<T> add_layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                           const Tensor<T>& sum, const Affine<T>& affine,
                                           const LayerNormSaved<T>& saved);

/// Adds the residual and applies rms_norm to the sum.
/// Computes  sum = x + residual ; y = rms_norm(sum)
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
template <numeric::Real T>
AddRMSNormForward<T> add_rms_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                  const Affine<T>& affine,
                                  const model::RMSNormOptions& options = {});
/// Returns the gradients of add_rms_norm.
/// Computes  grad_x = rms_norm_backward(grad_y, sum) + grad_sum, which is also the gradient of the
///           residual; grad_gamma and grad_beta are what rms_norm_backward returns
/// Requires  (C3) grad_sum has the shape of sum, or is empty and counts as zeros
///           (C4) grad_x is finite
template <numeric::Real T>
AffineGradients<T> add_rms_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                         const Tensor<T>& sum, const Affine<T>& affine,
                                         const RMSNormSaved<T>& saved);

}  // namespace normproof::ref::norm
