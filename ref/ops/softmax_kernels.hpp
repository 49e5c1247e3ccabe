#pragma once

#include "ref/ops/elements.hpp"

/// The row kernels of softmax and related functions (docs/specification/activations.md), over plain
/// pointers.
namespace normproof::ref::ops {

/// Finds the row of a mask that belongs to a row of x. The leading axes of the mask are
/// right-aligned with those of x; a repeated axis has stride 0.
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

/// The arguments of a row kernel. In the backward of softmax and of log_softmax, x is y.
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

/// Copies the elements of x that take part to `out`, which must have `width` elements, and returns
/// their number.
template <class T>
std::size_t gather(const T* x, const bool* valid, std::size_t width, T* out) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < width; ++i)
    if (valid[i]) out[count++] = x[i];
  return count;
}

/// Writes the elements that gather copied back to their places, and +0 for the others.
template <class T>
void scatter(const T* x, const bool* valid, std::size_t width, T* out) {
  for (std::size_t i = 0; i < width; ++i) out[i] = valid[i] ? *x++ : T(0);
}

/// Computes exp(x_i - m) of a row, where m is its largest element, and their sum.
template <class T>
struct Exponentials {
  T shift{};
  T sum{};
  bool finite = false;

  Exponentials(const T* x, std::size_t count, T* e) {
    finite = Elements<T>::shift_if_finite(x, count, shift);
    if (!finite) return;
    Elements<T>::exp_of_difference(x, shift, count, e);
    sum = contiguous_lane_sum<T>(count, [e](auto at) { return at(e); });
  }
};

/// The kernels below process the rows [begin, end). They return the first row that they reject, or
/// `end`.

/// Computes y = e / S(e), e = exp(x - m), where S is the sum over the row. A row in which no
/// element takes part is 0. With grad_y, which has one number per row, it computes grad_y y, the
/// backward of log_sum_exp.
template <bool by_gradient, class T>
std::size_t softmax_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(a.width);
  T* e = scratch.get();
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    T* y = a.out + row * a.width;
    const bool* valid = a.mask(row);
    const std::size_t count = valid == nullptr ? a.width : gather(x, valid, a.width, e);
    if (count > 0) {
      const Exponentials<T> softmax_row(valid == nullptr ? x : e, count, e);
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
    if (valid != nullptr) scatter(e, valid, a.width, y);
  }
  stream_fence();
  return end;
}

/// Computes grad_x = y (grad_y - S(grad_y y)). If a term is not finite, neither is the sum.
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
      count = gather(y, valid, a.width, gathered);
      gather(grad_y, valid, a.width, gathered + count);
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
      scatter(scratch.get(), valid, a.width, grad_x);
    }
  }
  stream_fence();
  return end;
}

/// Computes y = (x - m) - log(S(exp(x - m))).
template <class T>
std::size_t log_softmax_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> e(a.width);
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    const Exponentials<T> softmax_row(x, a.width, e.get());
    if (!softmax_row.finite) return row;
    const T log_sum = Elements<T>::log(softmax_row.sum);
    fill(a.out + row * a.width, a.width, a.use_streaming_stores,
         [&](auto at) { return (at(x) - softmax_row.shift) - log_sum; });
  }
  stream_fence();
  return end;
}

/// Computes grad_x = grad_y - exp(y) S(grad_y).
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

/// Computes y [rows] = m + log(S(exp(x - m))). A row in which no element takes part is rejected.
template <class T>
std::size_t log_sum_exp_rows(const SoftmaxRows<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> e(a.width);
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = a.x + row * a.width;
    const bool* valid = a.mask(row);
    const std::size_t count = valid == nullptr ? a.width : gather(x, valid, a.width, e.get());
    if (count == 0) return row;
    const Exponentials<T> softmax_row(valid == nullptr ? x : e.get(), count, e.get());
    if (!softmax_row.finite) return row;
    a.out[row] = softmax_row.shift + Elements<T>::log(softmax_row.sum);
  }
  return end;
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
