#include "ref/train/gradient_norm.hpp"

#include <fmt/format.h>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/lane_sum.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

/// Calls f(name, values) for each gradient, first the dense ones, then the row gradients.
template <class Gradients, class F>
void for_each_tensor(Gradients& gradients, F&& f) {
  for (auto& [name, values] : gradients.dense) f(name, values);
  for (auto& [name, rows] : gradients.rows) f(name, rows.values);
}

/// Returns limit / norm, the factor of clipping. If the norm is an enclosure that contains the
/// limit, the result also contains 1, because clipping may not apply.
template <class T>
T clipping_factor(const T& norm, const T& limit) {
#ifndef NORMPROOF_DOUBLE_ONLY
  if constexpr (numeric::is_enclosure<T>) {
    using numeric::hull;
    using numeric::mp::hull;
    if (!(norm > limit)) return hull(T(1), T(limit / norm));
  }
#endif
  return limit / norm;
}

}  // namespace

template <numeric::Real T>
GradientNorms<T> gradient_norms(const Gradients<T>& gradients) {
  std::vector<const tensor::Tensor<T>*> tensors;
  GradientNorms<T> norms;
  for_each_tensor(gradients, [&](const std::string& name, const tensor::Tensor<T>& values) {
    tensors.push_back(&values);
    norms.per_tensor.emplace_back(name, T(0));
  });
  numeric::parallel_for(tensors.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      norms.per_tensor[k].second = ops::contiguous_lane_sum<T>(
          tensors[k]->size(), [g = tensors[k]->data()](auto at) { return at(g) * at(g); });
  });
  T sum(0);
  for (auto& [name, square] : norms.per_tensor) {
    sum += square;
    if (!numeric::is_finite(sum))
      numeric::not_finite_failure(
          "gradient_norms", fmt::format("gradient of {}", name),
          fmt::format("makes the sum of squares {}", numeric::to_double(sum)),
          "finite elements, so small that it stays finite", Clause::C1);
    square = numeric::square_root(square);
  }
  norms.whole = numeric::square_root(sum);
  return norms;
}

template <numeric::Real T>
GradientNorms<T> clip_gradients(Gradients<T>& gradients, std::optional<double> max_norm) {
  if (max_norm)
    tensor::check_option("clip_gradients", "max_norm", *max_norm, *max_norm > 0, "max_norm > 0",
                         Clause::C2);
  GradientNorms<T> norms = gradient_norms(gradients);
  if (!max_norm || norms.whole <= T(*max_norm)) return norms;
  const T scale = clipping_factor(norms.whole, T(*max_norm));
  for_each_tensor(gradients, [&](const std::string&, tensor::Tensor<T>& values) {
    numeric::parallel_for(values.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values.data()[i] *= scale;
    });
  });
  return norms;
}

#define NORMPROOF_INSTANTIATE(T)                                 \
  template GradientNorms<T> gradient_norms(const Gradients<T>&); \
  template GradientNorms<T> clip_gradients(Gradients<T>&, std::optional<double>);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
