#pragma once

#include "ref/norm/power_norm_v_formula.hpp"

/// The formulas that update the running statistic nu in power_norm and power_norm_released.
namespace normproof::ref::norm {

/// The arguments of the loops that compute the two means that update nu: mean_x_hat_squared (Gamma)
/// and mean_g_x_hat (Lambda), [D] each.
template <class T>
struct PowerNormMoments : PowerNormGradients<T> {
  ops::RowList rows;
  T* mean_x_hat_squared;
  T* mean_g_x_hat;
};

/// The arguments of the loops that compute the mean of t x_hat, which updates nu if scaled_nu is
/// set. nu and mean_t_x_hat are [D].
template <class T>
struct ScaledNuUpdate : PowerNormGradients<T> {
  ops::RowList rows;
  const T* nu;
  T* mean_t_x_hat;
};

inline namespace NORMPROOF_ISA {

/// Computes Gamma_d, the mean of x_hat^2, and Lambda_d, the mean of g x_hat, for a range of
/// channels, where g is gamma grad_y. A mean is a sum over a set of m rows, divided by m.
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

/// Computes the mean of t x_hat for a range of channels, where t = g - nu x_hat and g = gamma
/// grad_y. The mean is a sum over a set of m rows, divided by m.
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
