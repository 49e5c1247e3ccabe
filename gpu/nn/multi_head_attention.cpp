#include "gpu/nn/multi_head_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/softmax.hpp"
#include "ref/model/attention_groups.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {

using ref::numeric::Clause;

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
                                   "[B,T,D]", Clause::C1);
  ref::tensor::check_activations(function, "x", shape);
  const std::size_t d_model = shape[2];
  if (options.num_heads == 0 || d_model % options.num_heads != 0)
    ref::numeric::contract_failure(function, "num_heads", "is " + std::to_string(options.num_heads),
                                   "a divisor of D, " + std::to_string(d_model), Clause::C2);
  ref::tensor::check_shape(function, "in.weight", parameters.in.weight.shape(),
                           {3 * d_model, d_model}, Clause::C3);
  ref::tensor::check_shape(function, "out.weight", parameters.out.weight.shape(),
                           {d_model, d_model}, Clause::C3);
  if (attention_mask.is_given())
    ref::tensor::check_shape(function, "valid", attention_mask.shape(), {shape[0], shape[1]},
                             Clause::C4);
  return {shape[0], shape[1], d_model, options.num_heads};
}

/// The first D of each 3D features, times 1 / sqrt(d_k).
void scale_queries(DeviceTensor<double>& qkv, const Heads& heads) {
  const double factor = 1.0 / std::sqrt(static_cast<double>(heads.d_k()));
  device::launch_elements(qkv.device(), qkv.size() / 3,
                          ScaleColumns{factor, heads.d_model, 3 * heads.d_model, qkv.span()});
}

/// What softmax(group, rows) refuses is said of the heads that ref computes together: the first
/// group that it refuses alone.
template <class Softmax>
[[noreturn]] void refuse_in_groups(const Heads& heads, const DeviceMask& attention_mask,
                                   std::vector<DeviceTensor<double>> scores,
                                   const Softmax& softmax) {
  const std::size_t t = heads.seq_len;
  const std::size_t count = ref::model::heads_together(heads.num_heads, t, sizeof(double));
  const auto flags = attention_mask.host_flags();
  for (std::size_t head = 0; head < heads.batch_size * heads.num_heads; head += count) {
    const std::size_t sentence = head / heads.num_heads;
    Device& device = scores.front().device();
    std::vector<DeviceTensor<double>> group;
    for (const auto& whole : scores) {
      const auto values = device::download(whole);
      group.push_back(device::upload(device, values.data() + head * t * t, Shape{count, t, t}));
    }
    ref::tensor::Mask keys;
    if (ref::tensor::is_given(flags)) {
      keys = ref::tensor::empty_tensor<bool>({1, 1, t});
      std::copy_n(flags.data() + sentence * t, t, keys.data());
    }
    try {
      softmax(group, DeviceMask(device, keys));
    } catch (const ref::numeric::ContractError& error) {
      const std::size_t first = head % heads.num_heads;
      ref::numeric::Breach breach = error.breach();
      breach.place = fmt::format("attention in sentence {}, heads {} to {}", sentence, first,
                                 first + count - 1);
      throw ref::numeric::NotFiniteError(std::move(breach));
    }
  }
  throw std::logic_error("attention: what all heads are refused for, no group is");
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
  result.qkv = linear(x, parameters.in, *options.products);
  scale_queries(result.qkv, heads);
  const auto qkv = std::as_const(result.qkv).span();
  DeviceTensor<double> scores(device, heads.scores_shape());
  ops::matmul_into(device, heads.of_scores(scores.span()), heads.part(qkv, 0),
                   ops::transposed(heads.part(qkv, 1)), false, *options.products);
  try {
    result.weights = ops::softmax(scores, keys_of(attention_mask, heads));
  } catch (const ref::numeric::ContractError&) {
    refuse_in_groups(heads, attention_mask, {scores},
                     [](const auto& group, const auto& keys) { ops::softmax(group[0], keys); });
  }
  DeviceTensor<double> dropped = result.weights;
  if (options.dropout > 0) {
    result.keep = dropout_mask(device, heads.scores_shape(), options.dropout, options.key);
    dropped = dropout(result.weights, result.keep, options.dropout);
  }
  result.context = DeviceTensor<double>(device, x.shape());
  ops::matmul_into(device, heads.of_context(result.context.span()),
                   heads.of_scores(std::as_const(dropped).span()), heads.part(qkv, 2), false,
                   *options.products);
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
  const Heads heads = checked_heads(kName, x, parameters, attention_mask, options);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), x.shape(), Clause::C6);
  Device& device = x.device();
  const auto multiply = [&](const Matrices<double>& c, const Matrices<const double>& a,
                            const Matrices<const double>& b) {
    ops::matmul_into(device, c, a, b, false, *options.products);
  };
  LinearGradients out = linear_backward(grad_y, forward.context, parameters.out, *options.products);
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
  DeviceTensor<double> grad_scores;
  try {
    grad_scores =
        ops::softmax_backward(grad_weights, forward.weights, keys_of(attention_mask, heads));
  } catch (const ref::numeric::ContractError&) {
    refuse_in_groups(heads, attention_mask, {grad_weights, forward.weights},
                     [](const auto& group, const auto& keys) {
                       ops::softmax_backward(group[0], group[1], keys);
                     });
  }
  multiply(heads.part(grad_qkv.span(), 0), heads.of_scores(std::as_const(grad_scores).span()),
           heads.part(qkv, 1));
  multiply(heads.part(grad_qkv.span(), 1),
           ops::transposed(heads.of_scores(std::as_const(grad_scores).span())), heads.part(qkv, 0));
  scale_queries(grad_qkv, heads);
  LinearGradients in = linear_backward(grad_qkv, x, parameters.in, *options.products);
  return {std::move(in.grad_x), {std::move(in.parameters), std::move(out.parameters)}};
}

}  // namespace normproof::gpu::nn
