#include "gpu/nn/multi_head_attention.hpp"

#include <utility>

#include "gpu/nn/attention_heads.hpp"

namespace normproof::gpu::nn {

using ref::numeric::Clause;

namespace {

/// Returns the operands of attention. `qkv` [B,T,3D] holds the queries, then the keys, then the
/// values.
template <class T>
AttentionOperands<T> make_attention_operands(device::Span<T> qkv, const Heads& heads) {
  const std::size_t d = heads.d_model;
  const auto part = [&](std::size_t number) {
    return heads.features(qkv, heads.queries, 3 * d, number * d);
  };
  return {part(0), part(1), part(2)};
}

Heads check_and_make_heads(std::string_view function, const DeviceTensor<double>& x,
                           const Attention& parameters, const DeviceMask& attention_mask,
                           const AttentionOptions& options) {
  const Shape& shape = x.shape();
  if (shape.size() != 3)
    ref::numeric::contract_failure(function, "x", "has shape " + ref::tensor::to_string(shape),
                                   "[B,T,D]", Clause::C1);
  ref::tensor::check_activations(function, "x", shape);
  const std::size_t d_model = shape[2];
  check_num_heads(function, options.num_heads, d_model);
  ref::tensor::check_shape(function, "in.weight", parameters.in.weight.shape(),
                           {3 * d_model, d_model}, Clause::C3);
  ref::tensor::check_shape(function, "out.weight", parameters.out.weight.shape(),
                           {d_model, d_model}, Clause::C3);
  if (attention_mask.is_given())
    ref::tensor::check_shape(function, "valid", attention_mask.shape(), {shape[0], shape[1]},
                             Clause::C4);
  return {shape[0], shape[1], shape[1], d_model, options.num_heads};
}

}  // namespace

AttentionForward multi_head_attention(const DeviceTensor<double>& x, const Attention& parameters,
                                      const DeviceMask& attention_mask,
                                      const AttentionOptions& options) {
  const Heads heads =
      check_and_make_heads("multi_head_attention", x, parameters, attention_mask, options);
  AttentionForward result;
  result.qkv = linear(x, parameters.in, *options.products);
  scale_queries(result.qkv, 3 * heads.d_model, heads);
  attend_per_head(x.device(), heads,
                  make_attention_operands(std::as_const(result.qkv).span(), heads), attention_mask,
                  options, result);
  result.y = linear(result.context, parameters.out, *options.products);
  return result;
}

AttentionGradients multi_head_attention_backward(const DeviceTensor<double>& grad_y,
                                                 const DeviceTensor<double>& x,
                                                 const Attention& parameters,
                                                 const DeviceMask& attention_mask,
                                                 const AttentionForward& forward,
                                                 const AttentionOptions& options) {
  constexpr auto kName = "multi_head_attention_backward";
  const Heads heads = check_and_make_heads(kName, x, parameters, attention_mask, options);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), x.shape(), Clause::C6);
  LinearGradients out = linear_backward(grad_y, forward.context, parameters.out, *options.products);
  DeviceTensor<double> grad_qkv(x.device(), forward.qkv.shape());
  attend_per_head_backward(x.device(), heads, make_attention_operands(grad_qkv.span(), heads),
                           make_attention_operands(forward.qkv.span(), heads), out.grad_x,
                           attention_mask, forward, options);
  scale_queries(grad_qkv, 3 * heads.d_model, heads);
  LinearGradients in = linear_backward(grad_qkv, x, parameters.in, *options.products);
  return {std::move(in.grad_x), {std::move(in.parameters), std::move(out.parameters)}};
}

}  // namespace normproof::gpu::nn
