#include "ref/encoder/encoder_layer.hpp"

#include <utility>

namespace normproof::ref::encoder {

namespace {

/// Returns the running statistics in `state` that belong to the layer `place`.
template <class T>
NamedTensors<T> select_layer_entries(const NamedTensors<T>& state, const std::string& place) {
  NamedTensors<T> own;
  for (const auto& [name, values] : state)
    if (name.starts_with(place + ".")) own.set(name, values);
  return own;
}

}  // namespace

SavedResultBytes saved_result_bytes(const EncoderConfig& config, std::size_t batch_size,
                                    std::size_t seq_len, std::size_t bytes_of_scalar) {
  const std::size_t masks = config.dropout > 0 ? 1 : 0;  // one byte per element
  const std::size_t positions = batch_size * seq_len;
  // The numbers that are saved are: the inputs of attention, feed-forward and both norms; the
  // context; queries, keys and values; the feed-forward before and after its activation, and the
  // erf that GELU saves; and what the norms save, 1.5 times their input.
  const std::size_t feed_forward_tensors = config.activation == model::Activation::gelu ? 3 : 2;
  const std::size_t numbers = 11 * config.d_model + feed_forward_tensors * config.d_ff;
  const std::size_t rest =
      positions * (numbers * bytes_of_scalar + masks * (2 * config.d_model + config.d_ff));
  const std::size_t weights = positions * seq_len * config.num_heads;
  return {weights * (bytes_of_scalar + masks), rest};
}

template <numeric::Real T>
EncoderLayer<T>::EncoderLayer(const EncoderConfig& config,
                              const EncoderLayerParameters<T>& parameters, std::string place,
                              const TensorTap<T>& tap)
    : config_(config), parameters_(parameters), place_(std::move(place)), tap_(tap) {}

template <numeric::Real T>
LayerCall<T> EncoderLayer<T>::call(const ModelRunSettings& run, NamedTensors<T>& state) const {
  return {place_, config_.norm, config_.placement, config_.dropout, valid_, run, state, tap_};
}

template <numeric::Real T>
nn::AttentionOptions EncoderLayer<T>::attention_options() const {
  return {.num_heads = config_.num_heads, .keep_weights = keep_.weights, .causal = config_.causal};
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::forward(Tensor<T> x, const Mask& valid, const ModelRunSettings& run,
                                   NamedTensors<T>& state, SavedResults keep) {
  valid_ = valid;
  keep_ = keep;
  if (keep.rest) return forward_and_save(std::move(x), run, state);
  start_ = {{}, select_layer_entries(state, place_)};
  keep_.weights = false;
  Tensor<T> y = forward_and_save(std::move(x), run, state);
  start_->x =
      std::move(config_.placement == model::NormPlacement::post ? saved_.attending.in
                                                                : saved_.attending.norm.inputs.x);
  saved_ = {};
  keep_.weights = keep.weights;
  return y;
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::forward_and_save(Tensor<T> x, const ModelRunSettings& run,
                                            NamedTensors<T>& state) {
  const LayerCall<T> own = call(run, state);
  Tensor<T> h = run_residual_sublayer(
      own, "norm1", parameters_.norm1, std::move(x), saved_.attending, [&](const Tensor<T>& in) {
        return run_attention(own, "attention", in, parameters_.attention, attention_options(),
                             saved_.attention, saved_.attending.keep);
      });
  return run_residual_sublayer(
      own, "norm2", parameters_.norm2, std::move(h), saved_.feeding, [&](const Tensor<T>& in) {
        return run_feed_forward(own, in, parameters_.feed_forward, config_.activation,
                                saved_.feed_forward, saved_.feeding.keep);
      });
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::backward(Tensor<T> grad_y, const ModelRunSettings& run,
                                    NamedTensors<T>& state, EncoderLayerParameters<T>& gradients) {
  if (start_) {
    TensorTap<T> given = std::exchange(tap_, {});
    forward_and_save(std::move(start_->x), run, start_->state);
    tap_ = std::move(given);
    start_.reset();
  }
  const LayerCall<T> own = call(run, state);
  Tensor<T> grad_h = run_residual_sublayer_backward(
      own, "norm2", std::move(grad_y), saved_.feeding, gradients.norm2, [&](const Tensor<T>& grad) {
        return run_feed_forward_backward(own, grad, saved_.feeding.in, parameters_.feed_forward,
                                         config_.activation, saved_.feed_forward,
                                         saved_.feeding.keep, gradients.feed_forward);
      });
  Tensor<T> grad_x = run_residual_sublayer_backward(
      own, "norm1", std::move(grad_h), saved_.attending, gradients.norm1,
      [&](const Tensor<T>& grad) {
        return run_attention_backward(own, "attention", grad, saved_.attending.in,
                                      parameters_.attention, attention_options(), saved_.attention,
                                      saved_.attending.keep, gradients.attention);
      });
  saved_ = {};
  return grad_x;
}

#define NORMPROOF_INSTANTIATE(T) template class EncoderLayer<T>;
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
