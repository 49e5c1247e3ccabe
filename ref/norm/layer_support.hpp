#pragma once

#include <string>
#include <vector>

#include "ref/norm/affine.hpp"
#include "ref/ops/view.hpp"

/// Code that the layers share. It checks arguments and converts them to the form that the kernels
/// expect. A requirement (Cn) has the same number in the comments of all layers.
namespace normproof::ref::norm {

using tensor::Clause;
using tensor::Extents;
using tensor::Shape;
using tensor::shape_of;

/// Returns the layout of activations as a matrix whose rows have D elements.
inline ops::RowLayout row_layout(const Extents& e) {
  return {e.rows(), e.d_model};
}

/// Holds gamma and beta. If gamma is empty, the object holds ones in its place. If beta is empty,
/// it holds zeros in its place.
template <class T>
class Parameters {
 public:
  /// Checks gamma and beta.
  /// Throws    ContractError unless each of them has extent D or is empty, and is finite
  Parameters(std::string_view function, const Affine<T>& affine, std::size_t d_model)
      : gamma_(check_parameter_tensor(function, "gamma", affine.gamma, d_model, ones_)),
        beta_(check_parameter_tensor(function, "beta", affine.beta, d_model, zeros_)) {
    if (gamma_ == &ones_) ones_ = tensor::full_tensor<T>({d_model}, T(1));
    if (beta_ == &zeros_) zeros_ = tensor::full_tensor<T>({d_model}, T(0));
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const T* gamma() const { return gamma_->data(); }
  const T* beta() const { return beta_->data(); }

 private:
  static const Tensor<T>* check_parameter_tensor(std::string_view function, std::string_view name,
                                                 const Tensor<T>& given, std::size_t d_model,
                                                 const Tensor<T>& absent) {
    if (!tensor::is_given(given)) return &absent;
    tensor::check_shape(function, name, shape_of(given), {d_model}, Clause::C3);
    tensor::check_finite(function, name, given, Clause::C4);
    return &given;
  }

  Tensor<T> ones_;
  Tensor<T> zeros_;
  const Tensor<T>* gamma_;
  const Tensor<T>* beta_;
};

/// The list of the rows that enter the statistics. A row is in the list if the mask `valid` is true
/// for this row.
class ValidRows {
 public:
  /// Reads and checks the mask.
  /// Throws    ContractError unless valid has the shape of x without D, or is empty, and at least
  ///           one row is valid
  ValidRows(std::string_view function, const Mask& valid, const Shape& x_shape);

  std::size_t count() const { return count_; }
  /// Returns the indices of the valid rows in ascending order, or null if all rows are valid.
  const std::size_t* rows() const { return rows_.empty() ? nullptr : rows_.data(); }
  ops::RowList list() const { return {rows(), count_}; }
  /// Returns one flag per row (true = valid), or null if all rows are valid.
  const bool* flags() const { return rows_.empty() ? nullptr : flags_; }
  bool contains(std::size_t row) const { return rows_.empty() || flags_[row]; }

 private:
  std::size_t count_ = 0;
  std::vector<std::size_t> rows_;
  const bool* flags_ = nullptr;
};

/// Checks that all values of a statistic are finite. If one is not, looks for the cause in x, from
/// which the statistic was computed.
/// Throws    NotFiniteError. If an element of `x` is not finite, the error names the first such
///           element and has the clause `x_clause`. Otherwise it names the statistic and has the
///           clause `statistic_clause`
template <class T>
void check_statistic(std::string_view function, std::string_view statistic, const Tensor<T>& values,
                     std::string_view argument, const Tensor<T>& x,
                     Clause statistic_clause = Clause::C4, Clause x_clause = Clause::C4) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (numeric::is_finite(values.data()[i])) continue;
    tensor::check_finite(function, argument, x, x_clause);
    const double value = numeric::to_double(values.data()[i]);
    numeric::not_finite_failure(
        function, argument,
        "makes " + std::string(statistic) + " at " + tensor::index_to_string(i, shape_of(values)) +
            " = " + (value == value ? std::to_string(value) : "nan"),
        "values so small that sums of their squares stay finite, and eps > 0 where they vanish",
        statistic_clause);
  }
}

/// Checks that a reciprocal root, such as rstd, is finite and not 0. It is infinite if
/// `statistic + eps` is 0. If the statistic overflowed, the reciprocal root is 0. The error is a
/// NotFiniteError, as in check_statistic.
template <class T>
void check_reciprocal(std::string_view function, std::string_view statistic, const Tensor<T>& rstd,
                      std::string_view argument, const Tensor<T>& x) {
  check_statistic(function, statistic, rstd, argument, x, Clause::C2);
  for (std::size_t i = 0; i < rstd.size(); ++i) {
    if (rstd.data()[i] > T(0)) continue;
    tensor::check_finite(function, argument, x, Clause::C4);
    numeric::not_finite_failure(function, argument,
                                "makes " + std::string(statistic) + " at " +
                                    tensor::index_to_string(i, shape_of(rstd)) + " vanish",
                                "values so small that sums of their squares stay finite",
                                Clause::C4);
  }
}

/// Checks that the gradients, which are sums over grad_y, are finite.
template <class T>
void check_gradients(std::string_view function, const AffineGradients<T>& gradients,
                     const Tensor<T>& grad_y) {
  check_statistic(function, "grad_beta", gradients.grad_beta, "grad_y", grad_y, Clause::C7,
                  Clause::C7);
  check_statistic(function, "grad_gamma", gradients.grad_gamma, "grad_y", grad_y, Clause::C7,
                  Clause::C7);
}

/// Checks that padded rows are finite too. They do not enter the statistics, but they are
/// normalized and returned.
template <class T>
void check_padding(std::string_view function, const Tensor<T>& x, const ValidRows& valid) {
  if (valid.rows() != nullptr) tensor::check_finite(function, "x", x, Clause::C4);
}

/// Checks that grad_y has the shape of x and that a saved statistic has the expected shape.
template <class T>
void check_backward(std::string_view function, const Tensor<T>& grad_y, const Tensor<T>& x,
                    std::string_view saved_name, const Tensor<T>& saved, const Shape& saved_shape) {
  tensor::check_shape(function, "grad_y", shape_of(grad_y), shape_of(x), Clause::C5);
  tensor::check_shape(function, saved_name, shape_of(saved), saved_shape, Clause::C6);
}

/// Allocates the gradients of x, gamma and beta, without setting their values.
template <class T>
AffineGradients<T> empty_gradients(const Shape& x_shape) {
  return {tensor::empty_tensor<T>(x_shape), tensor::empty_tensor<T>({x_shape.back()}),
          tensor::empty_tensor<T>({x_shape.back()})};
}

/// Returns the shape of a statistic with one number per row: the shape of x without the last axis.
inline Shape row_shape(const Shape& x_shape) {
  return Shape(x_shape.begin(), x_shape.end() - 1);
}

/// Checks that eps is finite and not negative.
void check_eps(std::string_view function, double eps);

/// Checks that `groups` is at least 1 and divides D. Returns it.
std::size_t check_groups(std::string_view function, std::int64_t groups, std::size_t d_model);

/// Checks that the option `option`, a counter, is not negative.
void check_count(std::string_view function, std::string_view option, std::int64_t count,
                 Clause clause);

/// Checks that the option `option`, the weight of the old value in a running average, lies in [0,
/// 1].
void check_decay(std::string_view function, std::string_view option, double decay);

/// Checks that a running statistic has extent D and finite elements. If `squared` is true, no
/// element may be negative.
template <class T>
void check_running_statistic(std::string_view function, std::string_view name,
                             const Tensor<T>& values, std::size_t d_model, bool squared) {
  tensor::check_shape(function, name, shape_of(values), {d_model}, Clause::C10);
  tensor::check_finite(function, name, values, Clause::C10);
  for (std::size_t i = 0; squared && i < d_model; ++i) {
    if (values.data()[i] < T(0)) {
      numeric::contract_failure(function, name,
                                "has the element [" + std::to_string(i) + "] below 0",
                                "no negative element", Clause::C10);
    }
  }
}

/// Returns decay * old_value + (1 - decay) * new_value for each element.
template <class T>
Tensor<T> moving_average(const Tensor<T>& old_value, const Tensor<T>& new_value, double decay) {
  const T keep(decay);
  const T take = T(1) - keep;
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(old_value));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = keep * old_value.data()[i] + take * new_value.data()[i];
  return result;
}

/// Returns gamma * sum / n for each channel.
template <class T>
Tensor<T> scaled_mean(const Parameters<T>& parameters, const Tensor<T>& sum, std::size_t n) {
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(sum));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = parameters.gamma()[i] * sum.data()[i] / T(static_cast<double>(n));
  return result;
}

/// Returns 1 / sqrt(square + eps) for each element.
template <class T>
Tensor<T> reciprocal_root(const Tensor<T>& square, double eps) {
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(square));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = T(1) / numeric::square_root(T(square.data()[i] + T(eps)));
  return result;
}

}  // namespace normproof::ref::norm
