#include "ref/nn/incremental_attention.hpp"

#include <fmt/format.h>

#include "ref/nn/attention_heads.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

constexpr auto kAttendToOneMore = "attend_to_one_more";

template <class T>
void check_arguments(const Tensor<T>& x, const Attention<T>& parameters, std::size_t num_heads,
                     const KeyValueCache<T>& cache) {
  const tensor::Shape shape = tensor::shape_of(x);
  if (shape.size() != 3 || shape[0] != 1 || shape[1] != 1 || shape[2] == 0)
    numeric::contract_failure(kAttendToOneMore, "x", "has shape " + tensor::to_string(shape),
                              "[1,1,D]", Clause::C1);
  const std::size_t d = shape[2];
  check_num_heads(kAttendToOneMore, num_heads, d);
  tensor::check_shape(kAttendToOneMore, "in.weight", tensor::shape_of(parameters.in.weight),
                      {3 * d, d}, Clause::C3);
  tensor::check_shape(kAttendToOneMore, "out.weight", tensor::shape_of(parameters.out.weight),
                      {d, d}, Clause::C3);
  if (cache.keys.size() != cache.values.size() || cache.keys.size() % d != 0)
    numeric::contract_failure(kAttendToOneMore, "cache",
                              fmt::format("has {} numbers of keys and {} of values",
                                          cache.keys.size(), cache.values.size()),
                              fmt::format("as many of both, rows of {}", d), Clause::C8);
}

/// Returns a view of `data`, whose rows have D numbers. Each head is one matrix of the view: D/H
/// adjacent columns of these rows.
template <class T>
ops::MatrixView<const T> split_into_heads(const T* data, std::size_t rows, std::size_t d,
                                          std::size_t num_heads) {
  const std::size_t d_k = d / num_heads;
  return {data, rows, d_k, d, 1, 1, rows * d, num_heads, d_k};
}

}  // namespace

template <numeric::Real T>
Tensor<T> attend_to_one_more(const Tensor<T>& x, const Attention<T>& parameters,
                             std::size_t num_heads, KeyValueCache<T>& cache) {
  check_arguments(x, parameters, num_heads, cache);
  const std::size_t d = x.shape(2);
  Tensor<T> qkv = linear(x, parameters.in);
  T* const q = qkv.data();
  const T factor = attention_scale<T>(d / num_heads);
  for (std::size_t i = 0; i < d; ++i) q[i] *= factor;
  cache.keys.insert(cache.keys.end(), q + d, q + 2 * d);
  cache.values.insert(cache.values.end(), q + 2 * d, q + 3 * d);
  const std::size_t positions = cache.keys.size() / d;
  const T* const queries = q;
  const AttentionOperands<const T> in{
      split_into_heads(queries, 1, d, num_heads),
      split_into_heads(static_cast<const T*>(cache.keys.data()), positions, d, num_heads),
      split_into_heads(static_cast<const T*>(cache.values.data()), positions, d, num_heads)};
  const Tensor<T> weights = ops::softmax(attention_scores(in, {num_heads, 1, positions}));
  Tensor<T> context = tensor::empty_tensor<T>({1, 1, d});
  const std::size_t d_k = d / num_heads;
  apply_attention_weights<T>(weights, in, {context.data(), 1, d_k, d, 1, 1, d, num_heads, d_k});
  return linear(context, parameters.out);
}

#define NORMPROOF_INSTANTIATE(T)                                                            \
  template Tensor<T> attend_to_one_more(const Tensor<T>&, const Attention<T>&, std::size_t, \
                                        KeyValueCache<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
