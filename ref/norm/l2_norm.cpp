#include "ref/norm/l2_norm.hpp"

#include <algorithm>
#include <limits>

#include "ref/norm/kernels.hpp"
#include "ref/norm/l2_norm_formula.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {
namespace {

using model::EpsPlacement;

#ifndef NORMPROOF_DOUBLE_ONLY
/// Returns max(n, limit), where n is an enclosure.
template <class T>
T maximum_of_enclosures(const T& n, const T& limit) {
  return numeric::clamp(n, limit, T(std::numeric_limits<double>::infinity()));
}

/// Returns `a` if n >= limit, otherwise 0. If the enclosures n and limit allow both cases, the
/// result encloses both `a` and 0.
template <class T>
T select_by_enclosure(const T& n, const T& limit, const T& a) {
  const auto norm_interval = numeric::enclose(n), limit_interval = numeric::enclose(limit);
  if (norm_interval.lower >= limit_interval.upper) return a;
  if (norm_interval.upper < limit_interval.lower) return T(0);
  using numeric::hull;
  using numeric::mp::hull;
  return a * hull(T(0), T(1));
}

/// Whether an enclosure contains 0 and nothing else.
template <class T>
bool encloses_only_zero(const T& v) {
  const auto ends = numeric::enclose(v);
  return ends.lower == 0 && ends.upper == 0;
}
#endif

/// Returns max(n, limit). For an enclosure or a scalar with an error bound, the result covers every
/// possible n.
template <class T>
T maximum(const T& n, const T& limit) {
  if constexpr (numeric::is_enclosure<T>) {
    return maximum_of_enclosures(n, limit);
  } else if constexpr (numeric::has_error_bound<T>) {
    return T(std::max(n.value, limit.value), n.error + limit.error);
  } else {
    return n < limit ? limit : n;
  }
}

/// Returns `a` if n >= limit, otherwise 0. If the error of n allows both cases, the result covers
/// both.
template <class T>
T select_if_at_least(const T& n, const T& limit, const T& a) {
  if constexpr (numeric::is_enclosure<T>) {
    return select_by_enclosure(n, limit, a);
  } else if constexpr (numeric::has_error_bound<T>) {
    const T taken = n.value >= limit.value ? a : T(0);
    const double apart = n.value - limit.value, error = 2 * (n.error + limit.error);
    if (error == 0 || (apart < 0 ? -apart : apart) > error) return taken;
    return T(taken.value, (a.value < 0 ? -a.value : a.value) + a.error);
  } else {
    return n < limit ? T(0) : a;
  }
}

/// Whether every element of a row is exactly 0, so that the norm of the row has no error.
template <class T>
bool is_exact_zero_row(const T* row, std::size_t width) {
  return std::all_of(row, row + width, [](const T& v) {
    if constexpr (numeric::is_enclosure<T>) {
      return encloses_only_zero(v);
    } else if constexpr (numeric::has_error_bound<T>) {
      return v.value == 0 && v.error == 0;
    } else {
      return v == T(0);
    }
  });
}

/// Returns 1 / n for the norm n of a row, or 0 if n = 0. If the row is not 0 but its squares
/// underflow, the error is unknown.
template <class T>
T reciprocal_or_zero(const T& n, const T* row, std::size_t width) {
  if (is_exact_zero_row(row, width)) return T(0);
  if constexpr (numeric::is_enclosure<T>) {
    return T(1) / n;
  } else if constexpr (numeric::has_error_bound<T>) {
    return n.value == 0 ? T(0, std::numeric_limits<double>::infinity()) : T(1) / n;
  } else {
    return n == T(0) ? T(0) : T(1) / n;
  }
}

/// The factors r and w of each row (see l2_norm.hpp). Their shape is that of x without its last
/// axis.
template <class T>
struct RowFactors {
  ops::RowLayout layout;
  Tensor<T> reciprocal, weight;

  RowFactors(std::string_view function, const Tensor<T>& x, const model::L2NormOptions& options) {
    const Shape shape = shape_of(x);
    if (shape.empty() || std::ranges::find(shape, std::size_t{0}) != shape.end())
      numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape),
                                "[..., D] with every extent at least 1", Clause::C1);
    check_eps(function, options.eps);
    layout = {x.size() / shape.back(), shape.back()};
    reciprocal = weight = tensor::empty_tensor<T>(row_shape(shape));
    run_on_rows(SquaredNorms<T>{layout, x.data(), reciprocal.data()});
    for (std::size_t row = 0; row < layout.count; ++row)
      set(row, options, x.data() + row * layout.width);
    check_reciprocal(function, "the reciprocal norm", reciprocal, "x", x);
  }

 private:
  void set(std::size_t row, const model::L2NormOptions& options, const T* x) {
    T& r = reciprocal.data()[row];
    T& w = weight.data()[row];
    const T square = r, eps(options.eps);
    switch (options.eps_placement) {
      case EpsPlacement::inside:
        w = r = T(1) / numeric::square_root(T(square + eps));
        return;
      case EpsPlacement::outside: {
        const T n = numeric::square_root(square);
        r = T(1) / (n + eps);
        w = reciprocal_or_zero(n, x, layout.width);
        return;
      }
      case EpsPlacement::floor: {
        const T n = numeric::square_root(square);
        r = T(1) / maximum(n, eps);
        w = select_if_at_least(n, eps, r);
        return;
      }
    }
    numeric::contract_failure("l2_norm", "eps_placement", "is no enumerator", "an EpsPlacement");
  }
};

}  // namespace

template <numeric::Real T>
Tensor<T> l2_norm(const Tensor<T>& x, const model::L2NormOptions& options) {
  const RowFactors<T> rows("l2_norm", x, options);
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  run_on_rows(L2NormRows<T>{rows.layout, x.data(), rows.reciprocal.data(), y.data()});
  return y;
}

template <numeric::Real T>
Tensor<T> l2_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                           const model::L2NormOptions& options) {
  constexpr auto kName = "l2_norm_backward";
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(x), Clause::C5);
  const RowFactors<T> rows(kName, x, options);
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C7);
  Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(x)), e = rows.reciprocal;
  run_on_rows(L2NormBackwardRows<T>{.layout = rows.layout,
                                    .grad_y = grad_y.data(),
                                    .x = x.data(),
                                    .reciprocal = rows.reciprocal.data(),
                                    .weight = rows.weight.data(),
                                    .grad_x = grad_x.data(),
                                    .e = e.data()});
  check_statistic(kName, "the sum over grad_y", e, "grad_y", grad_y, Clause::C7, Clause::C7);
  return grad_x;
}

#define NORMPROOF_INSTANTIATE(T)                                             \
  template Tensor<T> l2_norm(const Tensor<T>&, const model::L2NormOptions&); \
  template Tensor<T> l2_norm_backward(const Tensor<T>&, const Tensor<T>&,    \
                                      const model::L2NormOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
