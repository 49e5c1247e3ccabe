#pragma once

#include "ref/norm/power_norm_v_formula.hpp"

/// The formulas that update nu in power_norm and power_norm_released. R is the set of the m rows
/// that count there.
namespace normproof::ref::norm {

/// Inputs and outputs of the means Gamma and Lambda, [D].
template <class T>
struct PowerNormMoments : PowerNormGradients<T> {
  ops::RowList rows;
  T* mean_x_hat_squared;
  T* mean_g_x_hat;
};

/// Inputs and output of the update with scaled_nu: nu, mean_t_x_hat [D].
template <class T>
struct ScaledNuUpdate : PowerNormGradients<T> {
  ops::RowList rows;
  const T* nu;
  T* mean_t_x_hat;
};

inline namespace NORMPROOF_ISA {

/// Computes Gamma_d = S_R(x_hat x_hat)/m and Lambda_d = S_R(g x_hat)/m for a range of channels,
/// where S_R is the sum over R.
template <class T>
void compute(const PowerNormMoments<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto gamma = columns.each(in.gamma), rstd = columns.each(in.rstd);
  const auto g = [=](auto id) { return gamma[id] * grad_y[id]; };
  columns.means(in.rows, in.mean_x_hat_squared, in.mean_g_x_hat, [=](auto id) {
    const auto x_hat = x[id] * rstd[id];
    return ops::TwoTerms{x_hat * x_hat, g(id) * x_hat};
  });
}

/// Computes S_R(t x_hat)/m with t = g - nu x_hat for a range of channels.
template <class T>
void compute(const ScaledNuUpdate<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto gamma = columns.each(in.gamma), rstd = columns.each(in.rstd), nu = columns.each(in.nu);
  const auto g = [=](auto id) { return gamma[id] * grad_y[id]; };
  columns.mean(in.rows, in.mean_t_x_hat, [=](auto id) {
    const auto x_hat = x[id] * rstd[id];
    const auto t = g(id) - x_hat * nu[id];
    return t * x_hat;
  });
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
