#pragma once

#include "ref/ops/elements.hpp"

/// The kernels of softmax and related functions, one row at a time
/// (docs/specification/activations.md). They use plain pointers.
namespace normproof::ref::ops {

/// Finds the row of a mask that belongs to a row of x. All axes of the mask except the last are
/// right-aligned with the axes of x. An axis along which the mask is repeated has stride 0.
struct RowMask {
  const bool* valid = nullptr;  ///< null if every element takes part
  const std::size_t* extent = nullptr;
  const std::size_t* stride = nullptr;
  std::size_t axes = 0;

  const bool* operator()(std::size_t row) const {
    if (valid == nullptr) return nullptr;
    std::size_t offset = 0;
    for (std::size_t axis = axes; axis-- > 0;) {
      offset += row % extent[axis] * stride[axis];
      row /= extent[axis];
    }
    return valid + offset;
  }
};

/// The arguments of a row kernel. In the backwards of softmax and of log_softmax, the member x is
/// the output y of the forward.
template <class T>
struct SoftmaxRows {
  const T* grad_y;
  const T* x;
  RowMask mask;
  std::size_t width;
  bool use_streaming_stores;
  T* out;
};

inline namespace NORMPROOF_ISA {

/// Copies the elements of x for which `valid` is true to the beginning of `out`, which must have
/// room for `width` elements. Returns the number of copied elements.
template <class T>
std::size_t gather_valid_elements(const T* x, const bool* valid, std::size_t width, T* out) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < width; ++i)
    if (valid[i]) out[count++] = x[i];
  return count;
}

/// Reverses gather: writes the elements to the positions where `valid` is true, and +0 to the other
/// positions.
template <class T>
void scatter_valid_elements(const T* x, const bool* valid, std::size_t width, T* out) {
  for (std::size_t i = 0; i < width; ++i) out[i] = valid[i] ? *x++ : T(0);
}

/// Computes exp(x_i - m) for each element of a row, where m is the largest element of the row, and
/// the sum of these exponentials.
template <class T>
struct ShiftedExponentials {
  T shift{};
  T sum{};
  bool finite = false;

  ShiftedExponentials(const T* x, std::size_t count, T* e) {
    finite = Elements<T>::find_softmax_shift(x, count, shift);
    if (!finite) return;
    Elements<T>::exp_of_difference(x, shift, count, e);
    sum = contiguous_lane_sum<T>(count, [e](auto at) { return at(e); });
  }
};

/// The kernels below process the rows [begin, end). Each kernel returns the index of the first row
/// that it rejects, or `end` if it rejects none.

/// Computes softmax: y = e / S(e) with e = exp(x - m), where S is the sum over the row and m its
/// largest element. If no element of a row takes part, y is 0. If by_gradient is true, the result
/// is the product grad_y y, which is the backward of log_sum_exp; grad_y has one number per row.
template <bool by_gradient, class T>
std::size_t softmax_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(a.width);
  T* e = scratch.get();
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    T* y = a.out + row * a.width;
    const bool* valid = a.mask(row);
    const std::size_t count =
        valid == nullptr ? a.width : gather_valid_elements(x, valid, a.width, e);
    if (count > 0) {
      const ShiftedExponentials<T> softmax_row(valid == nullptr ? x : e, count, e);
      if (!softmax_row.finite) return row;
      const auto result = [&](auto at) {
        if constexpr (by_gradient)
          return a.grad_y[row] * (at(e) / softmax_row.sum);
        else
          return at(e) / softmax_row.sum;
      };
      if (valid == nullptr)
        fill(y, count, a.use_streaming_stores, result);
      else
        fill(e, count, false, result);
    }
    if (valid != nullptr) scatter_valid_elements(e, valid, a.width, y);
  }
  stream_fence();
  return end;
}

/// Computes the gradient of softmax: grad_x = y (grad_y - S(grad_y y)), where S is the sum over the
/// row. If a term is not finite, the sum is not finite either, and the row is rejected.
template <class T>
std::size_t softmax_backward_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(a.mask.valid == nullptr ? 0 : 2 * a.width);
  for (std::size_t row = begin; row < end; ++row) {
    const T* grad_y = a.grad_y + row * a.width;
    const T* y = a.x + row * a.width;
    T* grad_x = a.out + row * a.width;
    const bool* valid = a.mask(row);
    std::size_t count = a.width;
    if (valid != nullptr) {
      T* gathered = scratch.get();
      count = gather_valid_elements(y, valid, a.width, gathered);
      gather_valid_elements(grad_y, valid, a.width, gathered + count);
      y = gathered;
      grad_y = gathered + count;
    }
    const T dot = contiguous_lane_sum<T>(count, [grad_y, y](auto at) {
      prefetch(at, grad_y);
      prefetch(at, y);
      return at(grad_y) * at(y);
    });
    if (!Elements<T>::all_finite(&dot, 1)) return row;
    const auto result = [&](auto at) { return at(y) * (at(grad_y) - dot); };
    if (valid == nullptr) {
      fill(grad_x, count, a.use_streaming_stores, result);
    } else {
      fill(scratch.get(), count, false, result);
      scatter_valid_elements(scratch.get(), valid, a.width, grad_x);
    }
  }
  stream_fence();
  return end;
}

/// Computes log_softmax: y = (x - m) - log(S(exp(x - m))), where S is the sum over the row and m
/// its largest element.
template <class T>
std::size_t log_softmax_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> e(a.width);
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    const ShiftedExponentials<T> softmax_row(x, a.width, e.get());
    if (!softmax_row.finite) return row;
    const T log_sum = Elements<T>::log(softmax_row.sum);
    fill(a.out + row * a.width, a.width, a.use_streaming_stores,
         [&](auto at) { return (at(x) - softmax_row.shift) - log_sum; });
  }
  stream_fence();
  return end;
}

/// Computes the gradient of log_softmax: grad_x = grad_y - exp(y) S(grad_y), where S is the sum
/// over the row.
template <class T>
std::size_t log_softmax_backward_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(a.width);
  T* e = scratch.get();
  for (std::size_t row = begin; row < end; ++row) {
    const T* grad_y = a.grad_y + row * a.width;
    const T* y = a.x + row * a.width;
    const T sum = contiguous_lane_sum<T>(a.width, [grad_y, y](auto at) {
      prefetch(at, grad_y);
      prefetch(at, y);
      return at(grad_y);
    });
    if (!Elements<T>::all_finite(&sum, 1) || !Elements<T>::all_finite(y, a.width)) return row;
    Elements<T>::exp(y, a.width, e);
    fill(a.out + row * a.width, a.width, a.use_streaming_stores,
         [&](auto at) { return at(grad_y) - at(e) * sum; });
  }
  stream_fence();
  return end;
}

/// Computes log_sum_exp: y = m + log(S(exp(x - m))), one number per row, where S is the sum over
/// the row and m its largest element. A row in which no element takes part is rejected.
template <class T>
std::size_t log_sum_exp_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> e(a.width);
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    const bool* valid = a.mask(row);
    const std::size_t count =
        valid == nullptr ? a.width : gather_valid_elements(x, valid, a.width, e.get());
    if (count == 0) return row;
    const ShiftedExponentials<T> softmax_row(valid == nullptr ? x : e.get(), count, e.get());
    if (!softmax_row.finite) return row;
    a.out[row] = softmax_row.shift + Elements<T>::log(softmax_row.sum);
  }
  return end;
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
