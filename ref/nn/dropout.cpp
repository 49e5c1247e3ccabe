#include "ref/nn/dropout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/kept_or_zero.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

constexpr std::size_t kDropoutGrain = 4096;  // elements per range; does not affect the bits

void check_rate(std::string_view function, double rate) {
  tensor::check_option(function, "rate", rate, rate >= 0 && rate < 1, "0 <= rate < 1", Clause::C1);
}

void copy_given_mask(const Mask& given, std::uint64_t first, Mask& keep) {
  if (given.size() < first || given.size() - first < keep.size())
    numeric::contract_failure("dropout_mask", "key.given",
                              fmt::format("has {} elements", given.size()),
                              fmt::format("{} of them from {} on", keep.size(), first), Clause::C3);
  std::copy_n(given.data() + first, keep.size(), keep.data());
}

/// Applies dropout to x and writes the result to y, which may be x.
template <class T>
void write_dropout(const Tensor<T>& x, const Mask& keep, double rate, Tensor<T>& y) {
  check_rate("dropout", rate);
  tensor::check_shape("dropout", "keep", tensor::shape_of(keep), tensor::shape_of(x), Clause::C2);
  const T scale = T(1) / (T(1) - T(rate));
  numeric::parallel_for(x.size(), kDropoutGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      y.data()[i] = numeric::keep_or_zero(keep.data()[i], T(x.data()[i] * scale));
  });
}

}  // namespace

Mask dropout_mask(const tensor::Shape& shape, double rate, const DropoutKey& key,
                  std::uint64_t first) {
  check_rate("dropout_mask", rate);
  Mask keep = tensor::empty_tensor<bool>(shape);
  if (key.given != nullptr) {
    copy_given_mask(*key.given, first, keep);
    return keep;
  }
  const numeric::RandomStream random(key.seed, fmt::format("dropout/{}/{}", key.step, key.place));
  numeric::parallel_for(keep.size(), kDropoutGrain, [&](std::size_t begin, std::size_t end) {
    random.at_least(rate, first + begin, end - begin, keep.data() + begin);
  });
  return keep;
}

template <numeric::Real T>
Tensor<T> dropout(const Tensor<T>& x, const Mask& keep, double rate) {
  Tensor<T> y = tensor::empty_tensor<T>(tensor::shape_of(x));
  write_dropout(x, keep, rate, y);
  return y;
}

template <numeric::Real T>
void dropout_in_place(Tensor<T>& x, const Mask& keep, double rate) {
  write_dropout(x, keep, rate, x);
}

#define NORMPROOF_INSTANTIATE(T)                                     \
  template Tensor<T> dropout(const Tensor<T>&, const Mask&, double); \
  template void dropout_in_place(Tensor<T>&, const Mask&, double);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
