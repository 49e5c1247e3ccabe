#include "ref/ops/arithmetic.hpp"

#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {

using numeric::Clause;

namespace {

using tensor::shape_of;

constexpr std::size_t kArithmeticGrain = 32768;  // elements per range; does not affect the bits

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

#define NORMPROOF_INSTANTIATE(T)                            \
  template void add_in_place(Tensor<T>&, const Tensor<T>&); \
  template void scale_in_place(Tensor<T>&, const T&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
