#pragma once

#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

/// Returns nu after one step. nu is a running statistic that the backward of PowerNorm reads and
/// updates.
/// Source    [SYG+20] Algorithm 2, line 8
/// Computes  nu (1 - w Gamma) + w Lambda for each channel, where w = 1 - alpha, Gamma =
///           mean_x_hat_squared and Lambda = mean_g_x_hat
template <class T>
Tensor<T> update_nu(const Tensor<T>& nu, const Tensor<T>& mean_x_hat_squared,
                    const Tensor<T>& mean_g_x_hat, double alpha) {
  const T w = T(1) - T(alpha);
  Tensor<T> result = tensor::empty_tensor<T>(tensor::shape_of(nu));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.data()[i] =
        nu.data()[i] * (T(1) - w * mean_x_hat_squared.data()[i]) + w * mean_g_x_hat.data()[i];
  }
  return result;
}

}  // namespace normproof::ref::norm
