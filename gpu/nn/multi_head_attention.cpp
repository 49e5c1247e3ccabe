#include "gpu/nn/multi_head_attention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gpu/nn/attention_core.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "ref/model/attention_groups.hpp"
#include "ref/model/visible_keys.hpp"
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
  /// Of [B,T,3D].
  template <class T>
  AttentionOperands<T> operands(device::Span<T> qkv) const {
    return {part(qkv, 0), part(qkv, 1), part(qkv, 2)};
  }
  ScoreMatrices scores() const {
    const std::size_t t = seq_len;
    return {scores_shape(), {{}, 0, t, t, t, 1, batch_size, num_heads * t * t, num_heads, t * t}};
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

/// The heads that ref computes together.
ScoreParts parts_of(const Heads& heads, const DeviceMask& attention_mask, bool causal) {
  const std::size_t t = heads.seq_len;
  const std::size_t together = ref::model::heads_together(heads.num_heads, t * t, sizeof(double));
  const std::size_t each = heads.num_heads / together;
  const auto visible = [attention_mask, t, each, causal](std::size_t part) {
    const auto flags = attention_mask.host_flags();
    const bool* const valid =
        ref::tensor::is_given(flags) ? flags.data() + part / each * t : nullptr;
    return ref::model::visible_keys({1, t, t}, valid, causal);
  };
  const auto place = [together, each](std::size_t part) {
    const std::size_t first = part % each * together;
    return fmt::format("attention in sentence {}, heads {} to {}", part / each, first,
                       first + together - 1);
  };
  return {heads.batch_size * each, {together, t, t}, visible, place};
}

/// The keys that may be attended to: [B,1,1,T], or [B,1,T,T] where attention is causal.
DeviceMask keys_of(Device& device, const DeviceMask& attention_mask, const Heads& heads,
                   bool causal) {
  const std::size_t b = heads.batch_size, t = heads.seq_len;
  if (causal) {
    DeviceTensor<bool> flags(device, {b, 1, t, t});
    DeviceTensor<std::size_t> places(device, {b * t * t}), counts(device, {b * t});
    device::launch_elements(
        device, b * t,
        EarlierKeys{attention_mask.flags(), t, flags.span(), places.span(), counts.span()});
    return DeviceMask(std::move(flags), std::move(places), std::move(counts));
  }
  if (!attention_mask.is_given()) return {};
  return attention_mask.reshaped({b, 1, 1, t});
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
  const DeviceTensor<double> scores =
      attention_scores(device, heads.operands(qkv), heads.scores(), *options.products);
  result.weights = attention_weights(scores, keys_of(device, attention_mask, heads, options.causal),
                                     parts_of(heads, attention_mask, options.causal));
  DeviceTensor<double> dropped = result.weights;
  if (options.dropout > 0) {
    result.keep = dropout_mask(device, heads.scores_shape(), options.dropout, options.key);
    dropped = dropout(result.weights, result.keep, options.dropout);
  }
  result.context = DeviceTensor<double>(device, x.shape());
  attend(device, dropped, heads.scores(), heads.operands(qkv),
         heads.of_context(result.context.span()), *options.products);
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
  LinearGradients out = linear_backward(grad_y, forward.context, parameters.out, *options.products);
  const auto drop = [&](const DeviceTensor<double>& weights) {
    return options.dropout > 0 ? dropout(weights, forward.keep, options.dropout) : weights;
  };
  DeviceTensor<double> grad_qkv(device, forward.qkv.shape());
  attention_backward_into(device, heads.operands(grad_qkv.span()),
                          heads.operands(forward.qkv.span()),
                          {forward.weights, drop(forward.weights), drop,
                           heads.of_context(std::as_const(out.grad_x).span())},
                          heads.scores(), keys_of(device, attention_mask, heads, options.causal),
                          parts_of(heads, attention_mask, options.causal), *options.products);
  scale_queries(grad_qkv, heads);
  LinearGradients in = linear_backward(grad_qkv, x, parameters.in, *options.products);
  return {std::move(in.grad_x), {std::move(in.parameters), std::move(out.parameters)}};
}

}  // namespace normproof::gpu::nn
