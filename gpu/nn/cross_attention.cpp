#include "gpu/nn/cross_attention.hpp"

#include <utility>

#include "gpu/nn/attention_heads.hpp"

namespace normproof::gpu::nn {

using ref::numeric::Clause;

namespace {

using ref::tensor::check_shape;
using ref::tensor::to_string;

/// Returns the operands of attention. `queries` is [B,T,D]; `keys_values` [B,S,2D] holds the keys,
/// then the values.
template <class T>
AttentionOperands<T> make_cross_attention_operands(device::Span<T> queries,
                                                   device::Span<T> keys_values,
                                                   const Heads& heads) {
  const std::size_t d = heads.d_model;
  return {heads.features(queries, heads.queries, d, 0),
          heads.features(keys_values, heads.keys, 2 * d, 0),
          heads.features(keys_values, heads.keys, 2 * d, d)};
}

Heads check_and_make_cross_heads(std::string_view function, const DeviceTensor<double>& x,
                                 const DeviceTensor<double>& memory,
                                 const CrossAttention& parameters, const DeviceMask& memory_mask,
                                 const AttentionOptions& options) {
  const Shape &shape = x.shape(), &of_memory = memory.shape();
  if (shape.size() != 3)
    ref::numeric::contract_failure(function, "x", "has shape " + to_string(shape), "[B,T,D]",
                                   Clause::C1);
  ref::tensor::check_activations(function, "x", shape);
  const std::size_t d = shape[2];
  check_num_heads(function, options.num_heads, d);
  check_shape(function, "query.weight", parameters.query.weight.shape(), {d, d}, Clause::C3);
  check_shape(function, "memory.weight", parameters.memory.weight.shape(), {2 * d, d}, Clause::C3);
  check_shape(function, "out.weight", parameters.out.weight.shape(), {d, d}, Clause::C3);
  if (of_memory.size() != 3 || of_memory[0] != shape[0] || of_memory[1] == 0 || of_memory[2] != d)
    ref::numeric::contract_failure(function, "memory", "has shape " + to_string(of_memory),
                                   fmt::format("[{},S,{}], S >= 1", shape[0], d), Clause::C8);
  if (memory_mask.is_given())
    check_shape(function, "valid", memory_mask.shape(), {of_memory[0], of_memory[1]}, Clause::C4);
  if (options.causal)
    ref::numeric::contract_failure(function, "causal", "is true",
                                   "false: a memory is no earlier and no later", Clause::C9);
  return {shape[0], shape[1], of_memory[1], d, options.num_heads};
}

}  // namespace

CrossAttentionForward cross_attention(const DeviceTensor<double>& x,
                                      const DeviceTensor<double>& memory,
                                      const CrossAttention& parameters,
                                      const DeviceMask& memory_mask,
                                      const AttentionOptions& options) {
  const Heads heads =
      check_and_make_cross_heads("cross_attention", x, memory, parameters, memory_mask, options);
  CrossAttentionForward result;
  result.queries = linear(x, parameters.query, *options.products);
  scale_queries(result.queries, heads.d_model, heads);
  result.keys_values = linear(memory, parameters.memory, *options.products);
  attend_per_head(x.device(), heads,
                  make_cross_attention_operands(std::as_const(result.queries).span(),
                                                std::as_const(result.keys_values).span(), heads),
                  memory_mask, options, result);
  result.y = linear(result.context, parameters.out, *options.products);
  return result;
}

CrossAttentionGradients cross_attention_backward(const DeviceTensor<double>& grad_y,
                                                 const DeviceTensor<double>& x,
                                                 const DeviceTensor<double>& memory,
                                                 const CrossAttention& parameters,
                                                 const DeviceMask& memory_mask,
                                                 const CrossAttentionForward& forward,
                                                 const AttentionOptions& options) {
  constexpr auto kName = "cross_attention_backward";
  const Heads heads =
      check_and_make_cross_heads(kName, x, memory, parameters, memory_mask, options);
  check_shape(kName, "grad_y", grad_y.shape(), x.shape(), Clause::C6);
  const Products& products = *options.products;
  LinearGradients out = linear_backward(grad_y, forward.context, parameters.out, products);
  Device& device = x.device();
  DeviceTensor<double> grad_queries(device, forward.queries.shape());
  DeviceTensor<double> grad_keys_values(device, forward.keys_values.shape());
  attend_per_head_backward(
      device, heads,
      make_cross_attention_operands(grad_queries.span(), grad_keys_values.span(), heads),
      make_cross_attention_operands(forward.queries.span(), forward.keys_values.span(), heads),
      out.grad_x, memory_mask, forward, options);
  scale_queries(grad_queries, heads.d_model, heads);
  LinearGradients query = linear_backward(grad_queries, x, parameters.query, products);
  LinearGradients of_memory =
      linear_backward(grad_keys_values, memory, parameters.memory, products);
  return {
      std::move(query.grad_x),
      std::move(of_memory.grad_x),
      {std::move(query.parameters), std::move(of_memory.parameters), std::move(out.parameters)}};
}

}  // namespace normproof::gpu::nn
