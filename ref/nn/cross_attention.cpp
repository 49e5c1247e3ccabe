#include "ref/nn/cross_attention.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/nn/attention_heads.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using tensor::shape_of;

/// Returns views of queries [B,T,D], and of the keys and the values in keys_values [B,S,2D].
template <class T>
HeadOperands<T> cross_attention_operands(T* queries, T* keys_values, std::size_t d) {
  return {{queries, d}, {keys_values, 2 * d}, {keys_values + d, 2 * d}};
}

/// Checks that an argument has the shape [B,S,width]. The argument is a memory, or the keys and
/// values of a memory. Returns S.
std::size_t check_memory_length(std::string_view function, std::string_view argument,
                                const tensor::Shape& shape, std::size_t batch_size,
                                std::size_t width, Clause clause) {
  if (shape.size() != 3 || shape[0] != batch_size || shape[1] == 0 || shape[2] != width)
    numeric::contract_failure(function, argument, "has shape " + tensor::to_string(shape),
                              fmt::format("[{},S,{}], S >= 1", batch_size, width), clause);
  return shape[1];
}

/// Checks x and the parameters. Returns the extents of attention, except the number of keys.
template <class T>
HeadExtents check_query_extents(std::string_view function, const Tensor<T>& x,
                                const CrossAttention<T>& parameters, std::size_t num_heads) {
  const tensor::Shape shape = shape_of(x);
  if (shape.size() != 3)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape), "[B,T,D]",
                              Clause::C1);
  const tensor::Extents e = tensor::check_activations(function, "x", shape);
  const std::size_t d = e.d_model;
  check_num_heads(function, num_heads, d);
  const auto check = [&](std::string_view name, const Tensor<T>& weight, std::size_t rows) {
    tensor::check_shape(function, name, shape_of(weight), {rows, d}, Clause::C3);
  };
  check("query.weight", parameters.query.weight, d);
  check("memory.weight", parameters.memory.weight, 2 * d);
  check("out.weight", parameters.out.weight, d);
  return {e.batch_size, e.seq_len, 0, d, num_heads};
}

template <class T>
HeadExtents check_head_extents(std::string_view function, const Tensor<T>& x,
                               const Tensor<T>& memory, const CrossAttention<T>& parameters,
                               const Mask& memory_mask, const AttentionOptions& options) {
  HeadExtents heads = check_query_extents(function, x, parameters, options.num_heads);
  heads.keys = check_memory_length(function, "memory", shape_of(memory), heads.batch_size,
                                   heads.d_model, Clause::C8);
  tensor::check_mask(function, memory_mask, shape_of(memory), Clause::C4);
  if (options.causal)
    numeric::contract_failure(function, "causal", "is true",
                              "false: a memory is no earlier and no later", Clause::C9);
  return heads;
}

/// Returns y of cross_attention. Stores saved.queries and everything that attend_per_head saves.
template <class T>
Tensor<T> attend_with_queries(const HeadExtents& heads, const Tensor<T>& x,
                              const Tensor<T>& keys_values, const CrossAttention<T>& parameters,
                              const Mask& memory_mask, const AttentionOptions& options,
                              CrossAttentionSaved<T>& saved) {
  saved.queries = linear(x, parameters.query);
  const T* const queries = saved.queries.data();
  attend_per_head<T>(heads, FeatureRows<T>{saved.queries.data(), heads.d_model},
                     cross_attention_operands(queries, keys_values.data(), heads.d_model),
                     memory_mask, options, saved);
  return linear(saved.context, parameters.out);
}

}  // namespace

template <numeric::Real T>
CrossAttentionForward<T> cross_attention(const Tensor<T>& x, const Tensor<T>& memory,
                                         const CrossAttention<T>& parameters,
                                         const Mask& memory_mask, const AttentionOptions& options) {
  const HeadExtents heads =
      check_head_extents("cross_attention", x, memory, parameters, memory_mask, options);
  CrossAttentionForward<T> result;
  const Tensor<T>& keys_values = result.saved.keys_values = keys_and_values(memory, parameters);
  result.y =
      attend_with_queries(heads, x, keys_values, parameters, memory_mask, options, result.saved);
  return result;
}

template <numeric::Real T>
CrossAttentionGradients<T> cross_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Tensor<T>& memory,
                                                    const CrossAttention<T>& parameters,
                                                    const Mask& memory_mask,
                                                    const CrossAttentionSaved<T>& saved,
                                                    const AttentionOptions& options) {
  constexpr auto kName = "cross_attention_backward";
  const HeadExtents heads = check_head_extents(kName, x, memory, parameters, memory_mask, options);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(x), Clause::C6);
  LinearGradients<T> out = linear_backward(grad_y, saved.context, parameters.out);
  Tensor<T> grad_queries = tensor::empty_tensor<T>(shape_of(saved.queries));
  Tensor<T> grad_keys_values = tensor::empty_tensor<T>(shape_of(saved.keys_values));
  const std::size_t d = heads.d_model;
  const HeadOperands<T> grads =
      cross_attention_operands(grad_queries.data(), grad_keys_values.data(), d);
  attend_per_head_backward<T>(
      heads, grads, cross_attention_operands(saved.queries.data(), saved.keys_values.data(), d),
      out.grad_x, memory_mask, saved, options);
  LinearGradients<T> query = linear_backward(grad_queries, x, parameters.query);
  LinearGradients<T> memory_gradients =
      linear_backward(grad_keys_values, memory, parameters.memory);
  return {std::move(query.grad_x),
          std::move(memory_gradients.grad_x),
          {std::move(query.parameters), std::move(memory_gradients.parameters),
           std::move(out.parameters)}};
}

template <numeric::Real T>
Tensor<T> attend_to_memory(const Tensor<T>& x, const Tensor<T>& keys_values,
                           const CrossAttention<T>& parameters, const Mask& memory_mask,
                           std::size_t num_heads) {
  constexpr auto kName = "attend_to_memory";
  HeadExtents heads = check_query_extents(kName, x, parameters, num_heads);
  heads.keys = check_memory_length(kName, "keys_values", shape_of(keys_values), heads.batch_size,
                                   2 * heads.d_model, Clause::C10);
  tensor::check_mask(kName, memory_mask, shape_of(keys_values), Clause::C4);
  CrossAttentionSaved<T> saved;
  const AttentionOptions options{.num_heads = num_heads, .keep_weights = false};
  return attend_with_queries(heads, x, keys_values, parameters, memory_mask, options, saved);
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template CrossAttentionForward<T> cross_attention(const Tensor<T>&, const Tensor<T>&,            \
                                                    const CrossAttention<T>&, const Mask&,         \
                                                    const AttentionOptions&);                      \
  template CrossAttentionGradients<T> cross_attention_backward(                                    \
      const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, const CrossAttention<T>&, const Mask&, \
      const CrossAttentionSaved<T>&, const AttentionOptions&);                                     \
  template Tensor<T> attend_to_memory(const Tensor<T>&, const Tensor<T>&,                          \
                                      const CrossAttention<T>&, const Mask&, std::size_t);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
