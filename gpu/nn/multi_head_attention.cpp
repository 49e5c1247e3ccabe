#include "gpu/nn/multi_head_attention.hpp"

#include <cmath>

#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/softmax.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {
namespace {

using ops::Matrices;

/// The extents of attention, and where the parts of its tensors are.
struct Heads {
  std::size_t batch_size, seq_len, d_model, num_heads;

  std::size_t d_k() const { return d_model / num_heads; }
  Shape scores_shape() const { return {batch_size, num_heads, seq_len, seq_len}; }

  /// Part 0, 1, 2 of [B,T,3D]: queries, keys, values.
  template <class T>
  Matrices<T> part(device::Span<T> qkv, std::size_t number) const {
    return features(qkv, 3 * d_model, number);
  }
  /// [B,T,D]
  template <class T>
  Matrices<T> of_context(device::Span<T> context) const {
    return features(context, d_model, 0);
  }
  /// [B,H,T,T]
  template <class T>
  Matrices<T> of_scores(device::Span<T> scores) const {
    const std::size_t t = seq_len;
    return {scores, 0, t, t, t, 1, batch_size, num_heads * t * t, num_heads, t * t};
  }

 private:
  template <class T>
  Matrices<T> features(device::Span<T> rows, std::size_t width, std::size_t number) const {
    return {rows, number * d_model, seq_len,         d_k(),     width,
            1,    batch_size,       seq_len * width, num_heads, d_k()};
  }
};

Heads checked_heads(std::string_view function, const DeviceTensor<double>& x,
                    const Attention& parameters, const DeviceMask& attention_mask,
                    const AttentionOptions& options) {
  const Shape& shape = x.shape();
  if (shape.size() != 3)
    ref::numeric::contract_failure(function, "x", "has shape " + ref::tensor::to_string(shape),
                                   "[B,T,D] (C1)");
  ref::tensor::check_activations(function, "x", shape);
  const std::size_t d_model = shape[2];
  if (options.num_heads == 0 || d_model % options.num_heads != 0)
    ref::numeric::contract_failure(function, "num_heads", "is " + std::to_string(options.num_heads),
                                   "a divisor of D, " + std::to_string(d_model) + " (C2)");
  ref::tensor::check_shape(function, "in.weight", parameters.in.weight.shape(),
                           {3 * d_model, d_model});
  ref::tensor::check_shape(function, "out.weight", parameters.out.weight.shape(),
                           {d_model, d_model});
  if (attention_mask.is_given())
    ref::tensor::check_shape(function, "valid", attention_mask.shape(), {shape[0], shape[1]});
  return {shape[0], shape[1], d_model, options.num_heads};
}

/// The first D of each 3D features, times 1 / sqrt(d_k).
void scale_queries(DeviceTensor<double>& qkv, const Heads& heads) {
  const double factor = 1.0 / std::sqrt(static_cast<double>(heads.d_k()));
  device::launch_elements(qkv.device(), qkv.size() / 3,
                          ScaleColumns{factor, heads.d_model, 3 * heads.d_model, qkv.span()});
}

/// [B,1,1,T]: the keys that may be attended to.
DeviceMask keys_of(const DeviceMask& attention_mask, const Heads& heads) {
  if (!attention_mask.is_given()) return {};
  return attention_mask.reshaped({heads.batch_size, 1, 1, heads.seq_len});
}

}  // namespace

AttentionForward multi_head_attention(const DeviceTensor<double>& x, const Attention& parameters,
                                      const DeviceMask& attention_mask,
                                      const AttentionOptions& options) {
  const Heads heads = checked_heads("multi_head_attention", x, parameters, attention_mask, options);
  Device& device = x.device();
  AttentionForward result;
  result.qkv = linear(x, parameters.in, options.gemm);
  scale_queries(result.qkv, heads);
  const auto qkv = std::as_const(result.qkv).span();
  DeviceTensor<double> scores(device, heads.scores_shape());
  ops::matmul_into(device, heads.of_scores(scores.span()), heads.part(qkv, 0),
                   ops::transposed(heads.part(qkv, 1)), false, options.gemm);
  result.weights = ops::softmax(scores, keys_of(attention_mask, heads));
  DeviceTensor<double> dropped = result.weights;
  if (options.dropout > 0) {
    result.keep = dropout_mask(device, heads.scores_shape(), options.dropout, options.key);
    dropped = dropout(result.weights, result.keep, options.dropout);
  }
  result.context = DeviceTensor<double>(device, x.shape());
  ops::matmul_into(device, heads.of_context(result.context.span()),
                   heads.of_scores(std::as_const(dropped).span()), heads.part(qkv, 2), false,
                   options.gemm);
  result.y = linear(result.context, parameters.out, options.gemm);
  return result;
}

AttentionGradients multi_head_attention_backward(const DeviceTensor<double>& grad_y,
                                                 const DeviceTensor<double>& x,
                                                 const Attention& parameters,
                                                 const DeviceMask& attention_mask,
                                                 const AttentionForward& forward,
                                                 const AttentionOptions& options) {
  constexpr auto kName = "multi_head_attention_backward";
  const Heads heads = checked_heads(kName, x, parameters, attention_mask, options);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), x.shape());
  Device& device = x.device();
  const auto multiply = [&](const Matrices<double>& c, const Matrices<const double>& a,
                            const Matrices<const double>& b) {
    ops::matmul_into(device, c, a, b, false, options.gemm);
  };
  LinearGradients out = linear_backward(grad_y, forward.context, parameters.out, options.gemm);
  const auto grad = heads.of_context(std::as_const(out.grad_x).span());
  const auto qkv = forward.qkv.span();
  const DeviceTensor<double> used = options.dropout > 0
                                        ? dropout(forward.weights, forward.keep, options.dropout)
                                        : forward.weights;
  DeviceTensor<double> grad_qkv(device, forward.qkv.shape());
  multiply(heads.part(grad_qkv.span(), 2), ops::transposed(heads.of_scores(used.span())), grad);
  DeviceTensor<double> grad_weights(device, heads.scores_shape());
  multiply(heads.of_scores(grad_weights.span()), grad, ops::transposed(heads.part(qkv, 2)));
  if (options.dropout > 0) grad_weights = dropout(grad_weights, forward.keep, options.dropout);
  const DeviceTensor<double> grad_scores =
      ops::softmax_backward(grad_weights, forward.weights, keys_of(attention_mask, heads));
  multiply(heads.part(grad_qkv.span(), 0), heads.of_scores(grad_scores.span()), heads.part(qkv, 1));
  multiply(heads.part(grad_qkv.span(), 1), ops::transposed(heads.of_scores(grad_scores.span())),
           heads.part(qkv, 0));
  scale_queries(grad_qkv, heads);
  LinearGradients in = linear_backward(grad_qkv, x, parameters.in, options.gemm);
  return {std::move(in.grad_x), {std::move(in.parameters), std::move(out.parameters)}};
}

}  // namespace normproof::gpu::nn
