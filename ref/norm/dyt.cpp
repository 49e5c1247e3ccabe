#include "ref/norm/dyt.hpp"

#include "ref/norm/dyt_formula.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/row_totals.hpp"
#include "ref/ops/reduce.hpp"

namespace normproof::ref::norm {
namespace {

template <class T>
T check_and_return_alpha(std::string_view function, const Tensor<T>& alpha,
                         const model::DyTOptions& options) {
  tensor::check_option(function, "alpha0", options.alpha0, numeric::is_finite(options.alpha0),
                       "a finite number", Clause::C2);
  if (!tensor::is_given(alpha)) return T(options.alpha0);
  tensor::check_shape(function, "alpha", shape_of(alpha), {1}, Clause::C3);
  tensor::check_finite(function, "alpha", alpha, Clause::C4);
  return alpha.data()[0];
}

}  // namespace

template <numeric::Real T>
Tensor<T> dyt(const Tensor<T>& x, const Affine<T>& affine, const Tensor<T>& alpha,
              const model::DyTOptions& options) {
  constexpr auto kName = "dyt";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  const T slope = check_and_return_alpha(kName, alpha, options);
  tensor::check_finite(kName, "x", x, Clause::C4);
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  run_on_rows(DyTRows<T>{.layout = row_layout(e),
                         .x = x.data(),
                         .gamma = parameters.gamma(),
                         .beta = parameters.beta(),
                         .alpha = slope,
                         .y = y.data()});
  return y;
}

template <numeric::Real T>
DyTGradients<T> dyt_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Affine<T>& affine,
                             const Tensor<T>& alpha, const model::DyTOptions& options) {
  constexpr auto kName = "dyt_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  const T slope = check_and_return_alpha(kName, alpha, options);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(x), Clause::C5);
  tensor::check_finite(kName, "x", x, Clause::C4);

  DyTGradients<T> result;
  result.grad_x = tensor::empty_tensor<T>(shape_of(x));
  RowTotals<T> totals(row_layout(e), 3);
  run_on_lanes(DyTBackwardRows<T>{.layout = row_layout(e),
                                  .grad_y = grad_y.data(),
                                  .x = x.data(),
                                  .gamma = parameters.gamma(),
                                  .alpha = slope,
                                  .grad_x = result.grad_x.data(),
                                  .totals = totals.lanes()});
  totals.finish();
  result.grad_gamma = totals[0];
  result.grad_beta = totals[1];
  result.grad_alpha = tensor::full_tensor<T>({1}, ops::sum_elements(totals[2]));
  for (const auto& [name, sum] :
       {std::pair("grad_beta", &result.grad_beta), std::pair("grad_gamma", &result.grad_gamma),
        std::pair("grad_alpha", &result.grad_alpha)})
    check_statistic(kName, name, *sum, "grad_y", grad_y, Clause::C7, Clause::C7);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                              \
  template Tensor<T> dyt(const Tensor<T>&, const Affine<T>&, const Tensor<T>&,                \
                         const model::DyTOptions&);                                           \
  template DyTGradients<T> dyt_backward(const Tensor<T>&, const Tensor<T>&, const Affine<T>&, \
                                        const Tensor<T>&, const model::DyTOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
