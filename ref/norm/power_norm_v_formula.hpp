#pragma once

#include "ref/ops/column_traversal.hpp"
#include "ref/ops/row_traversal.hpp"

/// The formulas over rows and columns of the layers that do not center: all of power_norm_v, and
/// the parts of it that power_norm and power_norm_released share. The steps between them, on one
/// number per channel, are in the layers' .cpp files.
namespace normproof::ref::norm {

/// Inputs and output of the statistic: x [rows, D]; quadratic_mean [D].
template <class T>
struct QuadraticMean {
  ops::RowLayout layout;
  ops::RowList valid;
  const T* x;
  T* quadratic_mean;
};

/// Inputs and output of the forward: x, y [rows, D]; all others [D].
template <class T>
struct PowerNormRows {
  ops::RowLayout layout;
  const T* x;
  const T* gamma;
  const T* beta;
  const T* rstd;
  T* y;
};

/// The inputs of the backward: grad_y, x [rows, D]; all others [D].
template <class T>
struct PowerNormGradients {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* rstd;
};

/// Inputs and outputs of the parameter gradients: grad_gamma, grad_beta [D].
template <class T>
struct PowerNormParameterGradients : PowerNormGradients<T> {
  T* grad_gamma;
  T* grad_beta;
};

/// Inputs and output of the gradient of x: c, scale [D]; grad_x [rows, D]. `valid` [rows] is null
/// if all rows are valid. c is the mean c of power_norm_v_backward, or nu in the other two layers;
/// it is null in inference.
template <class T>
struct PowerNormBackwardRows : PowerNormGradients<T> {
  const bool* valid;
  const T* c;
  const T* scale;  ///< rstd; batch_rstd in power_norm_released with divide_by_batch_psi
  T* grad_x;
};

inline namespace NORMPROOF_ISA {

/// Computes quadratic_mean_d over the valid rows, for a range of channels.
template <class T>
void compute(const QuadraticMean<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x);
  columns.mean(in.valid, in.quadratic_mean, [=](auto id) { return x[id] * x[id]; });
}

/// Computes y for a range of rows.
template <class T>
void compute(const PowerNormRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta}, rstd{in.rstd};
  ops::for_rows(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const auto x_hat = [=](auto d) { return x[d] * rstd[d]; };
    row.write(in.y, [=](auto d) { return gamma[d] * x_hat(d) + beta[d]; });
  });
}

/// Computes grad_gamma_d and grad_beta_d over all rows, for a range of channels.
template <class T>
void compute(const PowerNormParameterGradients<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto rstd = columns.each(in.rstd);
  const auto x_hat = [=](auto id) { return x[id] * rstd[id]; };
  columns.sums({nullptr, in.layout.count}, in.grad_gamma, in.grad_beta, [=](auto id) {
    return ops::TwoTerms{grad_y[id] * x_hat(id), grad_y[id]};
  });
}

/// Computes grad_x for a range of rows.
template <class T>
void compute(const PowerNormBackwardRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, rstd{in.rstd}, c{in.c}, scale{in.scale};
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const auto x_hat = [=](auto d) { return x[d] * rstd[d]; };
    const auto g = [=](auto d) { return gamma[d] * grad_y[d]; };
    if (in.c != nullptr && (in.valid == nullptr || in.valid[row.index()]))
      row.write(in.grad_x, [=](auto d) { return (g(d) - x_hat(d) * c[d]) * scale[d]; });
    else
      row.write(in.grad_x, [=](auto d) { return g(d) * scale[d]; });
  };
  ops::for_rows(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
