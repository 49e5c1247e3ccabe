#pragma once

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gpu/nn/attention_core.hpp"
#include "gpu/nn/multi_head_attention.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "ref/model/attention_groups.hpp"
#include "ref/model/visible_keys.hpp"
#include "ref/tensor/contract.hpp"

/// Device version of ref/nn/attention_heads.hpp, for all heads at once: attention of queries
/// [B,T,D] to keys and values [B,S,D]. The caller chooses the memory layout.
namespace normproof::gpu::nn {

/// The sizes of an attention: batch, queries, keys, features and heads. Its functions return the
/// layout of the tensors.
struct Heads {
  std::size_t batch_size, queries, keys, d_model, num_heads;

  std::size_t d_k() const { return d_model / num_heads; }
  Shape scores_shape() const { return {batch_size, num_heads, queries, keys}; }

  /// Splits D features of each row of a tensor [B,rows,width] into heads, starting at feature
  /// `first`. Returns one matrix per head.
  template <class T>
  ops::Matrices<T> features(device::Span<T> of, std::size_t rows, std::size_t width,
                            std::size_t first) const {
    return {of, first, rows, d_k(), width, 1, batch_size, rows * width, num_heads, d_k()};
  }
  /// Splits the context into heads.
  /// Shapes    context [B,T,D]
  template <class T>
  ops::Matrices<T> context_matrices(device::Span<T> context) const {
    return features(context, queries, d_model, 0);
  }
  ScoreMatrices scores() const {
    const std::size_t t = queries, s = keys;
    return {scores_shape(), {{}, 0, t, s, s, 1, batch_size, num_heads * t * s, num_heads, t * s}};
  }
};

/// Checks    that num_heads divides D, as clause (C2) of multi_head_attention requires
inline void check_num_heads(std::string_view function, std::size_t num_heads, std::size_t d_model) {
  if (num_heads == 0 || d_model % num_heads != 0)
    ref::numeric::contract_failure(function, "num_heads", fmt::format("is {}", num_heads),
                                   fmt::format("a divisor of D, {}", d_model),
                                   ref::numeric::Clause::C2);
}

/// Multiplies the queries by 1 / sqrt(d_k). Each row has `width` features; its first D features are
/// the queries.
inline void scale_queries(DeviceTensor<double>& rows, std::size_t width, const Heads& heads) {
  const double factor = 1.0 / std::sqrt(static_cast<double>(heads.d_k()));
  device::launch_elements(rows.device(), rows.size() / width * heads.d_model,
                          ScaleColumns{factor, heads.d_model, width, rows.span()});
}

/// Returns the parts of the scores. Each part holds the scores of a group of heads in one sentence;
/// ref computes the scores of a group together.
inline ScoreParts score_parts(const Heads& heads, const DeviceMask& attention_mask, bool causal) {
  const std::size_t t = heads.queries, s = heads.keys;
  const std::size_t together = ref::model::heads_per_group(heads.num_heads, t * s, sizeof(double));
  const std::size_t each = heads.num_heads / together;
  const auto visible = [attention_mask, t, s, each, causal](std::size_t part) {
    const auto flags = attention_mask.host_flags();
    const bool* const valid =
        ref::tensor::is_given(flags) ? flags.data() + part / each * s : nullptr;
    return ref::model::visible_keys({1, t, s}, valid, {.causal = causal});
  };
  const auto place = [together, each](std::size_t part) {
    const std::size_t first = part % each * together;
    return fmt::format("attention in sentence {}, heads {} to {}", part / each, first,
                       first + together - 1);
  };
  return {heads.batch_size * each, {together, t, s}, visible, place};
}

/// Returns the mask of the keys that each query may attend to: [B,1,1,S], or [B,1,T,T] if attention
/// is causal.
inline DeviceMask visible_keys_mask(Device& device, const DeviceMask& attention_mask,
                                    const Heads& heads, bool causal) {
  const std::size_t b = heads.batch_size, t = heads.queries;
  if (causal) {
    DeviceTensor<bool> flags(device, {b, 1, t, t});
    DeviceTensor<std::size_t> places(device, {b * t * t}), counts(device, {b * t});
    device::launch_elements(
        device, b * t,
        CausalKeys{attention_mask.flags(), t, flags.span(), places.span(), counts.span()});
    return DeviceMask(std::move(flags), std::move(places), std::move(counts));
  }
  if (!attention_mask.is_given()) return {};
  return attention_mask.reshaped({b, 1, 1, heads.keys});
}

/// Runs the forward on queries that are already scaled. Sets weights, keep (the dropout mask) and
/// context [B,T,D] of `result`.
template <class Forward>
void attend_per_head(Device& device, const Heads& heads, const AttentionOperands<const double>& in,
                     const DeviceMask& attention_mask, const AttentionOptions& options,
                     Forward& result) {
  const DeviceTensor<double> scores =
      attention_scores(device, in, heads.scores(), *options.products);
  result.weights =
      attention_weights(scores, visible_keys_mask(device, attention_mask, heads, options.causal),
                        score_parts(heads, attention_mask, options.causal));
  DeviceTensor<double> dropped = result.weights;
  if (options.dropout > 0) {
    result.keep = dropout_mask(device, heads.scores_shape(), options.dropout, options.key);
    dropped = dropout(result.weights, result.keep, options.dropout);
  }
  result.context = DeviceTensor<double>(device, {heads.batch_size, heads.queries, heads.d_model});
  attend(device, dropped, heads.scores(), in, heads.context_matrices(result.context.span()),
         *options.products);
}

/// Runs the backward from grad_context [B,T,D]. Writes the gradients of the scaled queries, the
/// keys and the values to `out`.
template <class Forward>
void attend_per_head_backward(Device& device, const Heads& heads,
                              const AttentionOperands<double>& out,
                              const AttentionOperands<const double>& in,
                              const DeviceTensor<double>& grad_context,
                              const DeviceMask& attention_mask, const Forward& forward,
                              const AttentionOptions& options) {
  const auto drop = [&](const DeviceTensor<double>& weights) {
    return options.dropout > 0 ? dropout(weights, forward.keep, options.dropout) : weights;
  };
  write_attention_gradients(
      device, out, in,
      {forward.weights, drop(forward.weights), drop, heads.context_matrices(grad_context.span())},
      heads.scores(), visible_keys_mask(device, attention_mask, heads, options.causal),
      score_parts(heads, attention_mask, options.causal), *options.products);
}

}  // namespace normproof::gpu::nn
