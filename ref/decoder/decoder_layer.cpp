#include "ref/decoder/decoder_layer.hpp"

#include <utility>

namespace normproof::ref::decoder {

namespace {

constexpr auto kSelfAttention = "self_attention", kCrossAttention = "cross_attention";

}  // namespace

template <numeric::Real T>
DecoderLayer<T>::DecoderLayer(const encoder::EncoderConfig& config,
                              const DecoderLayerParameters<T>& parameters, std::string place,
                              const TensorTap<T>& tap)
    : config_(config), parameters_(parameters), place_(std::move(place)), tap_(tap) {}

template <numeric::Real T>
encoder::LayerCall<T> DecoderLayer<T>::call(const ModelRunSettings& run,
                                            NamedTensors<T>& state) const {
  return {place_, config_.norm, config_.placement, config_.dropout, valid_, run, state, tap_};
}

/// Computes dropout(cross_attention(x, memory)) and saves what its backward needs.
template <numeric::Real T>
Tensor<T> DecoderLayer<T>::run_cross_attention(const encoder::LayerCall<T>& call,
                                               const Tensor<T>& x, const Memory<T>& memory) {
  nn::CrossAttentionForward<T> attention = nn::cross_attention(
      x, memory.values, parameters_.cross_attention, memory.valid,
      attention_options(call, kCrossAttention, {.num_heads = config_.num_heads}));
  nn::CrossAttentionSaved<T>& saved = saved_.cross_attention = std::move(attention.saved);
  const std::string own = call.name(kCrossAttention);
  pass_to_tap(tap_, own + ".queries", saved.queries);
  pass_to_tap(tap_, own + ".keys_values", saved.keys_values);
  pass_to_tap(tap_, own + ".weights", saved.weights);
  pass_mask_to_tap(tap_, own + ".weights.keep", saved.keep);
  pass_to_tap(tap_, own + ".context", saved.context);
  pass_to_tap(tap_, own + ".y", attention.y);
  return apply_dropout_to_part(call, "cross_attention.y", std::move(attention.y),
                               saved_.crossing.keep);
}

template <numeric::Real T>
Tensor<T> DecoderLayer<T>::run_cross_attention_backward(const encoder::LayerCall<T>& call,
                                                        const Tensor<T>& grad_y,
                                                        const Memory<T>& memory,
                                                        nn::CrossAttention<T>& gradients,
                                                        Tensor<T>& grad_memory) {
  Tensor<T> own;
  nn::CrossAttentionGradients<T> backward = nn::cross_attention_backward(
      run_part_dropout_backward(call, grad_y, saved_.crossing.keep, own), saved_.crossing.in,
      memory.values, parameters_.cross_attention, memory.valid, saved_.cross_attention,
      attention_options(call, kCrossAttention, {.num_heads = config_.num_heads}));
  gradients = std::move(backward.parameters);
  const std::string name = "grad_" + call.name(kCrossAttention);
  pass_to_tap(tap_, name + ".x", backward.grad_x);
  pass_to_tap(tap_, name + ".memory", backward.grad_memory);
  if (tensor::is_given(grad_memory)) {
    ops::add_in_place(grad_memory, backward.grad_memory);
  } else {
    grad_memory = std::move(backward.grad_memory);
  }
  return std::move(backward.grad_x);
}

template <numeric::Real T>
Tensor<T> DecoderLayer<T>::forward(Tensor<T> x, const Mask& valid, const Memory<T>& memory,
                                   const ModelRunSettings& run, NamedTensors<T>& state) {
  valid_ = valid;
  const encoder::LayerCall<T> own = call(run, state);
  Tensor<T> h = run_residual_sublayer(
      own, "norm1", parameters_.norm1, std::move(x), saved_.attending, [&](const Tensor<T>& in) {
        return run_attention(own, kSelfAttention, in, parameters_.self_attention,
                             {.num_heads = config_.num_heads, .causal = true},
                             saved_.self_attention, saved_.attending.keep);
      });
  h = run_residual_sublayer(
      own, "norm2", parameters_.norm2, std::move(h), saved_.crossing,
      [&](const Tensor<T>& in) { return run_cross_attention(own, in, memory); });
  return run_residual_sublayer(
      own, "norm3", parameters_.norm3, std::move(h), saved_.feeding, [&](const Tensor<T>& in) {
        return run_feed_forward(own, in, parameters_.feed_forward, config_.activation,
                                saved_.feed_forward, saved_.feeding.keep);
      });
}

template <numeric::Real T>
Tensor<T> DecoderLayer<T>::backward(Tensor<T> grad_y, const Memory<T>& memory,
                                    const ModelRunSettings& run, NamedTensors<T>& state,
                                    DecoderLayerParameters<T>& gradients, Tensor<T>& grad_memory) {
  const encoder::LayerCall<T> own = call(run, state);
  Tensor<T> grad = run_residual_sublayer_backward(
      own, "norm3", std::move(grad_y), saved_.feeding, gradients.norm3,
      [&](const Tensor<T>& grad_sum) {
        return run_feed_forward_backward(own, grad_sum, saved_.feeding.in, parameters_.feed_forward,
                                         config_.activation, saved_.feed_forward,
                                         saved_.feeding.keep, gradients.feed_forward);
      });
  grad = run_residual_sublayer_backward(own, "norm2", std::move(grad), saved_.crossing,
                                        gradients.norm2, [&](const Tensor<T>& grad_sum) {
                                          return run_cross_attention_backward(
                                              own, grad_sum, memory, gradients.cross_attention,
                                              grad_memory);
                                        });
  grad = run_residual_sublayer_backward(
      own, "norm1", std::move(grad), saved_.attending, gradients.norm1,
      [&](const Tensor<T>& grad_sum) {
        return run_attention_backward(
            own, kSelfAttention, grad_sum, saved_.attending.in, parameters_.self_attention,
            {.num_heads = config_.num_heads, .causal = true}, saved_.self_attention,
            saved_.attending.keep, gradients.self_attention);
      });
  saved_ = {};
  return grad;
}

#define NORMPROOF_INSTANTIATE(T) template class DecoderLayer<T>;
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::decoder
