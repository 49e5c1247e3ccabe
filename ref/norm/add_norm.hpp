#pragma once

#include "ref/norm/layer_norm.hpp"
#include "ref/norm/rms_norm.hpp"

/// A norm of the sum of two tensors, as residual connections take it. Common to all of them:
///
/// Source    docs/specification/norms.md; the formulas of layer_norm.hpp and rms_norm.hpp
/// Shapes    x, residual, sum, y, grad_y, grad_sum, grad_x [N,D] or [B,T,D]; parameters, their
///           gradients and what is saved as in the layer
/// Requires  of x + residual what the layer requires of its x
/// Order     R4 for both sums of two tensors, one operation an element; else as the layer
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

/// Computes  sum = x + residual ; y = layer_norm(sum)
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
template <numeric::Real T>
AddLayerNormForward<T> add_layer_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                      const Affine<T>& affine,
                                      const model::LayerNormOptions& options = {});
/// Computes  grad_x = layer_norm_backward(grad_y, sum) + grad_sum, which is the gradient of the
///           residual too; grad_gamma and grad_beta are those of layer_norm_backward
/// Requires  (C3) grad_sum has the shape of sum, or is empty: zeros  (C4) grad_x is finite
template <numeric::Real T>
AffineGradients<T> add_layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                           const Tensor<T>& sum, const Affine<T>& affine,
                                           const LayerNormSaved<T>& saved);

/// Computes  sum = x + residual ; y = rms_norm(sum)
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
template <numeric::Real T>
AddRMSNormForward<T> add_rms_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                  const Affine<T>& affine,
                                  const model::RMSNormOptions& options = {});
/// Computes  grad_x = rms_norm_backward(grad_y, sum) + grad_sum, which is the gradient of the
///           residual too; grad_gamma and grad_beta are those of rms_norm_backward
/// Requires  (C3) grad_sum has the shape of sum, or is empty: zeros  (C4) grad_x is finite
template <numeric::Real T>
AffineGradients<T> add_rms_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                         const Tensor<T>& sum, const Affine<T>& affine,
                                         const RMSNormSaved<T>& saved);

}  // namespace normproof::ref::norm
