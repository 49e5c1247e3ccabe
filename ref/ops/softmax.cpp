#include "ref/ops/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/ops/activation_dispatch.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::Clause;
using numeric::contract_failure;
using numeric::not_finite_failure;
using tensor::Shape;
using tensor::shape_of;

/// The rows of a tensor, along its last axis. The object also finds the row of the mask that
/// belongs to a row of the tensor.
class MaskedRows {
 public:
  MaskedRows(std::string_view function, std::string_view argument, const Shape& shape,
             const Mask* valid)
      : function_(function), shape_(shape) {
    if (shape.empty() || std::any_of(shape.begin(), shape.end(), [](auto e) { return e == 0; }))
      contract_failure(function, argument, "has shape " + tensor::to_string(shape),
                       "[..., D] with every extent at least 1", Clause::C1);
    width = shape.back();
    leading.assign(shape.begin(), shape.end() - 1);
    for (const std::size_t extent : leading) count *= extent;
    if (valid != nullptr && tensor::is_given(*valid)) set_mask(*valid);
  }
  MaskedRows(const MaskedRows&) = delete;
  MaskedRows& operator=(const MaskedRows&) = delete;

  /// Returns the number of rows per range of a parallel loop. One exponential counts as 8 elements
  /// of work.
  std::size_t rows_per_range() const { return 4096 / width + 1; }

  /// Checks that the elements of a row that take part are finite.
  /// Throws    NotFiniteError that names the first such element that is not finite
  template <class T>
  void check_row(std::string_view argument, const T* t, std::size_t row) const {
    const bool* valid = mask(row);
    for (std::size_t i = 0; i < width; ++i) {
      const T& v = t[row * width + i];
      if ((valid == nullptr || valid[i]) && !numeric::is_finite(v))
        not_finite_failure(
            function_, argument,
            fmt::format("has the element {} = {}", tensor::index_to_string(row * width + i, shape_),
                        numeric::to_double(v)),
            "finite values where valid is true", Clause::C2);
    }
  }

  std::string row_name(std::size_t row) const { return tensor::index_to_string(row, leading); }

  std::size_t width = 0;
  std::size_t count = 1;
  Shape leading;
  RowMask mask;

 private:
  void set_mask(const Mask& valid) {
    Shape given = shape_of(valid);
    const bool too_long = given.size() > shape_.size();
    bool fits = !too_long && given.back() == width;
    if (!too_long) given.insert(given.begin(), shape_.size() - given.size(), 1);
    for (std::size_t axis = 0; fits && axis < leading.size(); ++axis)
      fits = given[axis] == 1 || given[axis] == leading[axis];
    if (!fits)
      contract_failure(function_, "valid", "has shape " + tensor::to_string(shape_of(valid)),
                       fmt::format("last extent {} and leading extents that are 1 or those of {}",
                                   width, tensor::to_string(shape_)),
                       Clause::C3);
    strides_.assign(leading.size(), 0);
    std::size_t stride = width;
    for (std::size_t axis = leading.size(); axis-- > 0; stride *= given[axis])
      if (given[axis] > 1) strides_[axis] = stride;
    mask = {valid.data(), leading.data(), strides_.data(), leading.size()};
  }

  std::string_view function_;
  Shape shape_;
  Shape strides_;
};

// Returns the arguments of a kernel. If a gradient is large, it is written by non-temporal stores.
// The output y is not, because the backward reads it soon.
template <class T>
SoftmaxRows<T> make_kernel_arguments(const MaskedRows& rows, const Tensor<T>* grad_y,
                                     const Tensor<T>& x, Tensor<T>& out) {
  return {grad_y == nullptr ? nullptr : grad_y->data(),          x.data(),  rows.mask, rows.width,
          grad_y != nullptr && use_streaming_stores(out.size()), out.data()};
}

// Throws the error for a row that a backward rejected. Either an element is not finite, or the sum
// of the `terms` overflows.
template <class T>
[[noreturn]] void fail_backward(std::string_view function, const MaskedRows& rows,
                                const Tensor<T>& grad_y, const Tensor<T>& y, std::size_t row,
                                std::string_view terms) {
  rows.check_row("grad_y", grad_y.data(), row);
  rows.check_row("y", y.data(), row);
  not_finite_failure(
      function, "grad_y",
      fmt::format("makes the sum of {} at row {} overflow", terms, rows.row_name(row)),
      "values so small that the sum stays finite", Clause::C5);
}

}  // namespace

template <numeric::Real T>
Tensor<T> softmax(const Tensor<T>& x, const Mask& valid) {
  const MaskedRows rows("softmax", "x", shape_of(x), &valid);
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  const auto a = make_kernel_arguments<T>(rows, nullptr, x, y);
  const std::size_t row =
      find_rejected_index(rows.count, rows.rows_per_range(),
                          NORMPROOF_ACTIVATION_KERNEL(T, softmax[0], (softmax_rows<false, T>), a));
  if (row < rows.count) rows.check_row("x", x.data(), row);
  return y;
}

template <numeric::Real T>
Tensor<T> softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y, const Mask& valid) {
  constexpr auto kName = "softmax_backward";
  const MaskedRows rows(kName, "y", shape_of(y), &valid);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(y), Clause::C4);
  Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(y));
  const auto a = make_kernel_arguments<T>(rows, &grad_y, y, grad_x);
  const std::size_t row = find_rejected_index(
      rows.count, rows.rows_per_range(),
      NORMPROOF_ACTIVATION_KERNEL(T, softmax_backward, softmax_backward_rows<T>, a));
  if (row < rows.count) fail_backward(kName, rows, grad_y, y, row, "grad_y y");
  return grad_x;
}

template <numeric::Real T>
Tensor<T> log_softmax(const Tensor<T>& x) {
  const MaskedRows rows("log_softmax", "x", shape_of(x), nullptr);
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  const auto a = make_kernel_arguments<T>(rows, nullptr, x, y);
  const std::size_t row =
      find_rejected_index(rows.count, rows.rows_per_range(),
                          NORMPROOF_ACTIVATION_KERNEL(T, log_softmax, log_softmax_rows<T>, a));
  if (row < rows.count) rows.check_row("x", x.data(), row);
  return y;
}

template <numeric::Real T>
Tensor<T> log_softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y) {
  constexpr auto kName = "log_softmax_backward";
  const MaskedRows rows(kName, "y", shape_of(y), nullptr);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(y), Clause::C4);
  Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(y));
  const auto a = make_kernel_arguments<T>(rows, &grad_y, y, grad_x);
  const std::size_t row = find_rejected_index(
      rows.count, rows.rows_per_range(),
      NORMPROOF_ACTIVATION_KERNEL(T, log_softmax_backward, log_softmax_backward_rows<T>, a));
  if (row < rows.count) fail_backward(kName, rows, grad_y, y, row, "grad_y");
  return grad_x;
}

template <numeric::Real T>
Tensor<T> log_sum_exp(const Tensor<T>& x, const Mask& valid) {
  constexpr auto kName = "log_sum_exp";
  const MaskedRows rows(kName, "x", shape_of(x), &valid);
  Tensor<T> y = tensor::empty_tensor<T>(rows.leading);
  const auto a = make_kernel_arguments<T>(rows, nullptr, x, y);
  const std::size_t row =
      find_rejected_index(rows.count, rows.rows_per_range(),
                          NORMPROOF_ACTIVATION_KERNEL(T, log_sum_exp, log_sum_exp_rows<T>, a));
  if (row < rows.count) {
    rows.check_row("x", x.data(), row);
    contract_failure(kName, "valid",
                     fmt::format("lets no element of row {} take part", rows.row_name(row)),
                     "one at least", Clause::C6);
  }
  return y;
}

template <numeric::Real T>
Tensor<T> log_sum_exp_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Mask& valid) {
  constexpr auto kName = "log_sum_exp_backward";
  const MaskedRows rows(kName, "x", shape_of(x), &valid);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), rows.leading, Clause::C4);
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C2);
  Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(x));
  const auto a = make_kernel_arguments<T>(rows, &grad_y, x, grad_x);
  const std::size_t row =
      find_rejected_index(rows.count, rows.rows_per_range(),
                          NORMPROOF_ACTIVATION_KERNEL(T, softmax[1], (softmax_rows<true, T>), a));
  if (row < rows.count) rows.check_row("x", x.data(), row);
  return grad_x;
}

#define NORMPROOF_INSTANTIATE(T)                                                        \
  template Tensor<T> softmax(const Tensor<T>&, const Mask&);                            \
  template Tensor<T> softmax_backward(const Tensor<T>&, const Tensor<T>&, const Mask&); \
  template Tensor<T> log_softmax(const Tensor<T>&);                                     \
  template Tensor<T> log_softmax_backward(const Tensor<T>&, const Tensor<T>&);          \
  template Tensor<T> log_sum_exp(const Tensor<T>&, const Mask&);                        \
  template Tensor<T> log_sum_exp_backward(const Tensor<T>&, const Tensor<T>&, const Mask&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
