#pragma once

#include "ref/ops/elements.hpp"

/// The loops of the activation functions (docs/specification/activations.md), over plain pointers.
namespace normproof::ref::ops {

/// The constants of GELU and of its tanh approximation. For `double` they are rounded to the
/// nearest doubles.
template <class T>
struct GeluConstants {
  T sqrt_half;        ///< 1/sqrt(2)
  T density_at_0;     ///< 1/sqrt(2 pi)
  T twice_sqrt_2_pi;  ///< 2 sqrt(2/pi)
  T cubic;            ///< 0.044715
};

inline constexpr GeluConstants<double> kGeluConstants = {.sqrt_half = 0x1.6a09e667f3bcdp-1,
                                                         .density_at_0 = 0x1.9884533d43651p-2,
                                                         .twice_sqrt_2_pi = 0x1.9884533d43651p+0,
                                                         .cubic = 0.044715};

/// The parameters of softplus.
template <class T>
struct SoftplusParameters {
  T beta;            ///< multiplies x before the exponential, and divides the logarithm
  double threshold;  ///< softplus returns x if beta x is above it
};

/// The arguments of an elementwise kernel. In a forward, grad_y is null. If `erf` is not null, gelu
/// writes erf(x / sqrt(2)) to it, and gelu_backward reads it instead of computing it.
template <class T>
struct Elementwise {
  const T* grad_y;
  const T* x;
  const GeluConstants<T>* constants;
  bool use_streaming_stores;
  T* out;
  T* erf = nullptr;
  const SoftplusParameters<T>* softplus = nullptr;  ///< read by softplus alone
};

inline namespace NORMPROOF_ISA {

/// The number of elements that are processed together. All their data must fit the L1 cache.
inline constexpr std::size_t kChunk = 512;

/// Calls body(grad_y, x, count, out) for each chunk of the elements [begin, end). body returns
/// whether all elements that it read are finite. Returns the beginning of the first chunk that
/// contains a non-finite element, or `end` if there is none. This is also what every kernel in this
/// file returns.
template <class T, class Body>
std::size_t for_each_chunk_until_not_finite(const Elementwise<T>& a, std::size_t begin,
                                            std::size_t end, Body&& body) {
  for (std::size_t i = begin; i < end; i += kChunk) {
    const std::size_t count = end - i < kChunk ? end - i : kChunk;
    const T* grad_y = a.grad_y == nullptr ? nullptr : a.grad_y + i;
    if (!body(grad_y, a.x + i, count, a.out + i)) return i;
  }
  stream_fence();
  return end;
}

/// Calls body(grad_y, x, count, out) for each chunk, after checking that all elements of the chunk
/// are finite.
template <class T, class Body>
std::size_t for_each_finite_chunk(const Elementwise<T>& a, std::size_t begin, std::size_t end,
                                  Body&& body) {
  return for_each_chunk_until_not_finite(
      a, begin, end, [&body](const T* grad_y, const T* x, std::size_t count, T* out) {
        if (!Elements<T>::all_finite(x, count)) return false;
        if (grad_y != nullptr && !Elements<T>::all_finite(grad_y, count)) return false;
        body(grad_y, x, count, out);
        return true;
      });
}

/// Computes y = f(x) for every element, where f takes and returns a pack of elements.
template <class T, class F>
std::size_t map_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end, F&& f) {
  return for_each_chunk_until_not_finite(
      a, begin, end, [&a, &f](const T*, const T* x, std::size_t count, T* y) {
        FiniteCheck<T> finite;
        fill(y, count, a.use_streaming_stores, [x, &finite, &f](auto at) {
          finite.observe(at(x));
          return f(at(x));
        });
        return finite();
      });
}

/// Computes grad_x = f(grad_y, x) for every element.
template <class T, class F>
std::size_t map_gradients(const Elementwise<T>& a, std::size_t begin, std::size_t end, F&& f) {
  return for_each_chunk_until_not_finite(
      a, begin, end, [&a, &f](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        FiniteCheck<T> finite;
        fill(grad_x, count, a.use_streaming_stores, [grad_y, x, &finite, &f](auto at) {
          finite.observe(at(x));
          finite.observe(at(grad_y));
          return f(at(grad_y), at(x));
        });
        return finite();
      });
}

template <class T>
std::size_t identity_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return map_elements(a, begin, end, [](auto x) { return x; });
}

template <class T>
std::size_t identity_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                       std::size_t end) {
  return map_gradients(a, begin, end, [](auto grad_y, auto) { return grad_y; });
}

template <class T>
std::size_t relu_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return map_elements(a, begin, end, [](auto x) { return Elements<T>::positive_part(x); });
}

template <class T>
std::size_t relu_backward_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return map_gradients(a, begin, end, [](auto grad_y, auto x) {
    return Elements<T>::select_if_positive(x, grad_y);
  });
}

/// Computes relu_squared: y = max(x, 0)^2.
template <class T>
std::size_t relu_squared_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    fill(y, count, a.use_streaming_stores, [x](auto at) {
      const auto r = Elements<T>::positive_part(at(x));
      return r * r;
    });
  });
}

/// Computes the gradient of relu_squared: grad_x = grad_y 2 max(x, 0).
template <class T>
std::size_t relu_squared_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                           std::size_t end) {
  const T two(2);
  return for_each_finite_chunk(
      a, begin, end, [&](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        fill(grad_x, count, a.use_streaming_stores,
             [&](auto at) { return at(grad_y) * (Elements<T>::positive_part(at(x)) * two); });
      });
}

/// Computes e = erf(x / sqrt(2)) for `count` elements.
template <class T>
void compute_erf_of_scaled_x(const GeluConstants<T>& c, const T* x, std::size_t count, T* e) {
  fill(e, count, false, [&c, x](auto at) { return at(x) * c.sqrt_half; });
  Elements<T>::erf(e, count, e);
}

/// Computes gelu: y = (x/2) (1 + erf(x / sqrt(2))).
template <class T>
std::size_t gelu_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const T one(1), half(0.5);
  Scratch<T> scratch(kChunk);
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    T* const e = a.erf == nullptr ? scratch.get() : a.erf + (x - a.x);
    compute_erf_of_scaled_x(*a.constants, x, count, e);
    fill(y, count, a.use_streaming_stores, [&](auto at) { return (at(x) * half) * (at(e) + one); });
  });
}

/// Computes the gradient of gelu: grad_x = grad_y ((1 + erf(x / sqrt(2)))/2 + x (exp(-x^2/2) /
/// sqrt(2 pi))).
template <class T>
std::size_t gelu_backward_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const GeluConstants<T>& c = *a.constants;
  const T one(1), half(0.5), minus_half(-0.5);
  Scratch<T> scratch(2 * kChunk);
  T* const density = scratch.get() + kChunk;
  return for_each_finite_chunk(
      a, begin, end, [&](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        T* const e = a.erf == nullptr ? scratch.get() : a.erf + (x - a.x);
        if (a.erf == nullptr) compute_erf_of_scaled_x(c, x, count, e);
        fill(density, count, false, [&](auto at) { return (at(x) * at(x)) * minus_half; });
        Elements<T>::exp(density, count, density);
        fill(grad_x, count, a.use_streaming_stores, [&](auto at) {
          return at(grad_y) * ((at(e) + one) * half + at(x) * (at(density) * c.density_at_0));
        });
      });
}

/// Computes e = exp(-|v|) for v = 2 sqrt(2/pi) (x + 0.044715 x^3). The sign of v is that of x. The
/// gate of gelu_tanh is (1 + tanh(v/2))/2 = 1/(1 + exp(-v)). It is computed as e/(1 + e) if x < 0,
/// otherwise as 1/(1 + e). Neither expression cancels.
template <class T>
void gelu_tanh_exponentials(const GeluConstants<T>& c, const T* x, std::size_t count, T* e) {
  fill(e, count, false, [&c, x](auto at) {
    const auto v = (at(x) + (at(x) * (at(x) * at(x))) * c.cubic) * c.twice_sqrt_2_pi;
    return Elements<T>::select_by_sign(at(x), v, -v);
  });
  Elements<T>::exp(e, count, e);
}

/// Returns the sigmoid 1/(1 + exp(-v)), given e = exp(-|v|) and any x that has the sign of v.
template <class T, class V>
V sigmoid(const V& x, const V& e) {
  const V one = V{} + T(1);
  return Elements<T>::select_by_sign(x, e, one) / (e + one);
}

/// Computes gelu_tanh: y = x (1 + tanh(v/2))/2, with v as in gelu_tanh_exponentials.
template <class T>
std::size_t gelu_tanh_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(kChunk);
  T* e = scratch.get();
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    gelu_tanh_exponentials(*a.constants, x, count, e);
    fill(y, count, a.use_streaming_stores,
         [x, e](auto at) { return at(x) * sigmoid<T>(at(x), at(e)); });
  });
}

/// Computes the gradient of gelu_tanh: grad_x = grad_y (gate + x gate'), where x gate' = 2
/// sqrt(2/pi) (e x + 3 0.044715 e x^3) / (1 + e)^2 and e = exp(-|v|). Multiplying by e first
/// prevents overflow, because e is 0 unless |x| is below 24.
template <class T>
std::size_t gelu_tanh_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                        std::size_t end) {
  const GeluConstants<T>& c = *a.constants;
  const T one(1), three_cubic = c.cubic * T(3);
  Scratch<T> scratch(kChunk);
  T* e = scratch.get();
  return for_each_finite_chunk(
      a, begin, end, [&](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        gelu_tanh_exponentials(c, x, count, e);
        fill(grad_x, count, a.use_streaming_stores, [&](auto at) {
          const auto linear = at(e) * at(x);
          const auto slope =
              (linear + ((linear * at(x)) * at(x)) * three_cubic) * c.twice_sqrt_2_pi;
          const auto below = at(e) + one;
          return at(grad_y) * (sigmoid<T>(at(x), at(e)) + slope / (below * below));
        });
      });
}

/// Computes e = exp(-|x|) for `count` elements.
template <class T>
void compute_exp_of_minus_magnitude(const T* x, std::size_t count, T* e) {
  fill(e, count, false, [x](auto at) { return Elements<T>::select_by_sign(at(x), at(x), -at(x)); });
  Elements<T>::exp(e, count, e);
}

/// Computes an activation or its gradient from e = exp(-|x|): formula(at) is an element of the
/// result, where at(grad_y), at(x) and at(e) are its operands. In a forward, grad_y is null.
template <class T, class Formula>
std::size_t compute_from_exponentials(const Elementwise<T>& a, std::size_t begin, std::size_t end,
                                      Formula formula) {
  Scratch<T> scratch(kChunk);
  T* e = scratch.get();
  return for_each_finite_chunk(a, begin, end,
                               [&](const T* grad_y, const T* x, std::size_t count, T* out) {
                                 compute_exp_of_minus_magnitude(x, count, e);
                                 fill(out, count, a.use_streaming_stores,
                                      [&](auto at) { return formula(at, grad_y, x, e); });
                               });
}

/// Computes silu: y = x / (1 + exp(-x)).
template <class T>
std::size_t silu_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return compute_from_exponentials(a, begin, end, [](auto at, const T*, const T* x, const T* e) {
    return at(x) * sigmoid<T>(at(x), at(e));
  });
}

/// Computes the gradient of silu: grad_x = grad_y (s + x s'), where s = 1/(1 + exp(-x)), s' = e/(1
/// + e)^2 and e = exp(-|x|).
template <class T>
std::size_t silu_backward_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const T one(1);
  return compute_from_exponentials(
      a, begin, end, [&](auto at, const T* grad_y, const T* x, const T* e) {
        const auto below = at(e) + one;
        return at(grad_y) * (sigmoid<T>(at(x), at(e)) + (at(e) * at(x)) / (below * below));
      });
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
