#include "ref/nn/rotary_embedding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using tensor::Shape;
using tensor::shape_of;

template <class T>
void check_tables(std::string_view function, std::string_view argument, const Tensor<T>& x,
                  const Tensor<T>& cos, const Tensor<T>& sin) {
  const Shape shape = shape_of(x);
  if (shape.size() < 2 || std::ranges::find(shape, std::size_t{0}) != shape.end())
    numeric::contract_failure(function, argument, "has shape " + tensor::to_string(shape),
                              "[..., T, D] with every extent at least 1", Clause::C1);
  const std::size_t tokens = shape[shape.size() - 2], width = shape.back();
  const Shape table = shape_of(cos);
  if (table.size() != 2 || table[0] != tokens || table[1] == 0 || 2 * table[1] > width)
    numeric::contract_failure(function, "cos", "has shape " + tensor::to_string(table),
                              fmt::format("[{}, P], P from 1 to {}", tokens, width / 2),
                              Clause::C2);
  tensor::check_shape(function, "sin", shape_of(sin), table, Clause::C2);
  tensor::check_finite(function, argument, x, Clause::C3);
  tensor::check_finite(function, "cos", cos, Clause::C3);
  tensor::check_finite(function, "sin", sin, Clause::C3);
}

/// Returns x rotated by the angles. If `back` is true, it rotates by the opposite angles.
template <class T>
Tensor<T> rotate(const Tensor<T>& x, const Tensor<T>& cos, const Tensor<T>& sin, bool interleaved,
                 bool back) {
  const std::size_t tokens = cos.shape(0), pairs = cos.shape(1), width = x.shape().back();
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  numeric::parallel_for(
      x.size() / width, 8192 / width + 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const T* const from = x.data() + row * width;
          T* const to = y.data() + row * width;
          const T* const c = cos.data() + row % tokens * pairs;
          const T* const s = sin.data() + row % tokens * pairs;
          for (std::size_t p = 0; p < pairs; ++p) {
            const std::size_t a = interleaved ? 2 * p : p, b = interleaved ? a + 1 : a + pairs;
            const T along = from[a] * c[p], beside = from[b] * c[p];
            const T gradient_b = from[b] * s[p], gradient_a = from[a] * s[p];
            to[a] = back ? along + gradient_b : along - gradient_b;
            to[b] = back ? beside - gradient_a : beside + gradient_a;
          }
          std::copy(from + 2 * pairs, from + width, to + 2 * pairs);
        }
      });
  return y;
}

}  // namespace

template <numeric::Real T>
Tensor<T> rotary_embedding(const Tensor<T>& x, const Tensor<T>& cos, const Tensor<T>& sin,
                           const model::RopeOptions& options) {
  check_tables("rotary_embedding", "x", x, cos, sin);
  return rotate(x, cos, sin, options.interleaved, false);
}

template <numeric::Real T>
Tensor<T> rotary_embedding_backward(const Tensor<T>& grad_y, const Tensor<T>& cos,
                                    const Tensor<T>& sin, const model::RopeOptions& options) {
  check_tables("rotary_embedding_backward", "grad_y", grad_y, cos, sin);
  return rotate(grad_y, cos, sin, options.interleaved, true);
}

#define NORMPROOF_INSTANTIATE(T)                                                            \
  template Tensor<T> rotary_embedding(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, \
                                      const model::RopeOptions&);                           \
  template Tensor<T> rotary_embedding_backward(const Tensor<T>&, const Tensor<T>&,          \
                                               const Tensor<T>&, const model::RopeOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
