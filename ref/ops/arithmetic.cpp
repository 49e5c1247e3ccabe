#include "ref/ops/arithmetic.hpp"

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {

using numeric::Clause;

namespace {

using tensor::shape_of;

constexpr std::size_t kArithmeticGrain = 32768;  // elements; the bits do not depend on it

}  // namespace

template <numeric::Real T>
void add_in_place(Tensor<T>& y, const Tensor<T>& x) {
  tensor::check_shape("add_in_place", "x", shape_of(x), shape_of(y), Clause::C1);
  T* const to = y.data();
  const T* const from = x.data();
  numeric::parallel_for(y.size(), kArithmeticGrain, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] += from[i];
  });
}

template <numeric::Real T>
void scale_in_place(Tensor<T>& y, const T& factor) {
  T* const to = y.data();
  numeric::parallel_for(y.size(), kArithmeticGrain, [&, to](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] *= factor;
  });
}

template <numeric::Real T>
Tensor<T> repeat_row(const Tensor<T>& x, const tensor::Shape& shape) {
  tensor::check_shape("repeat_row", "x", shape_of(x), {shape.empty() ? 0 : shape.back()},
                      Clause::C1);
  Tensor<T> y = tensor::empty_tensor<T>(shape);
  const std::size_t width = x.size();
  if (y.size() == 0) return y;
  numeric::parallel_for(y.size() / width, kArithmeticGrain / width + 1,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t row = begin; row < end; ++row)
                            std::copy_n(x.data(), width, y.data() + row * width);
                        });
  return y;
}

#define NORMPROOF_INSTANTIATE(T)                            \
  template void add_in_place(Tensor<T>&, const Tensor<T>&); \
  template void scale_in_place(Tensor<T>&, const T&);       \
  template Tensor<T> repeat_row(const Tensor<T>&, const tensor::Shape&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
