#include "ref/encoder/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ref/nn/positional_encoding.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/arithmetic.hpp"
#include "ref/ops/lane_sum.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::encoder {

using numeric::Clause;

template <numeric::Real T>
Encoder<T>::Encoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
                    const TensorTap<T>& tap)
    : config_(config), parameters_(parameters), tap_(tap) {
  check_config("Encoder", config);
  for (std::size_t l = 0; l < config.num_layers; ++l)
    layers_.emplace_back(config_, parameters_.layers.at(l), fmt::format("layers.{}", l), tap_);
}

template <numeric::Real T>
Tensor<T> Encoder<T>::forward(const EncoderInputs& inputs, const ModelRunSettings& run,
                              NamedTensors<T>& state) {
  head_in_ = hidden(inputs, run, state);
  Tensor<T> logits = nn::linear(head_in_, head_weight(), parameters_.head.bias);
  if (tap_) tap_("logits", logits);
  return logits;
}

template <numeric::Real T>
const Tensor<T>& Encoder<T>::head_weight() const {
  return config_.tied_head ? parameters_.embedding : parameters_.head.weight;
}

template <numeric::Real T>
Tensor<T> Encoder<T>::hidden(const EncoderInputs& inputs, const ModelRunSettings& run,
                             NamedTensors<T>& state) {
  run_ = run;
  tokens_ = inputs.tokens;
  Tensor<T> x = nn::embedding(tokens_, parameters_.embedding, config_.scaled_embedding);
  const std::size_t batch_size = tokens_.batch_size, seq_len = tokens_.seq_len;
  tensor::check_mask("Encoder", inputs.valid, tensor::shape_of(x), Clause::C5);
  if (config_.positions) nn::add_positions(x);
  if (tap_) tap_("x", x);
  const Mask valid = config_.mask_padding ? inputs.valid : Mask();
  real_.assign(batch_size, {});
  for (std::size_t i = 0; i < batch_size * seq_len; ++i)
    if (!tensor::is_given(valid) || valid.data()[i]) real_[i / seq_len].push_back(i % seq_len);
  for (std::size_t l = 0; l < layers_.size(); ++l)
    x = layers_[l].forward(std::move(x), valid, run, state, choose_saved_results(l));
  if (config_.placement == model::NormPlacement::pre)
    x = run_norm<T>(config_.norm, parameters_.final_norm, std::move(x), valid, run.mode,
                    "final_norm", state, final_norm_, tap_);
  if (config_.pooling == model::Pooling::masked_mean) x = pool(x);
  if (tap_) tap_("pooled", x);
  return x;
}

/// Decides which results each layer saves for its backward. If the results of all layers fit into
/// run_.memory bytes, every layer saves all of its results. If they fit only without the attention
/// weights, every layer saves all results except these weights. Otherwise a layer saves only its
/// input. The last layer is an exception: it always saves its results, except the weights if they
/// do not fit. Its backward runs first, so computing its forward again would save no memory.
template <numeric::Real T>
SavedResults Encoder<T>::choose_saved_results(std::size_t layer) const {
  const SavedResultBytes each =
      saved_result_bytes(config_, tokens_.batch_size, tokens_.seq_len, sizeof(T));
  const std::size_t layers = config_.num_layers, both = each.weights + each.rest;
  if (each.rest <= run_.memory / layers) return {.weights = both <= run_.memory / layers};
  return {.weights = both <= run_.memory, .rest = layer + 1 == layers};
}

template <numeric::Real T>
EncoderGradients<T> Encoder<T>::backward(const Tensor<T>& grad_logits, NamedTensors<T>& state) {
  nn::LinearGradients<T> head =
      nn::linear_backward(grad_logits, head_in_, head_weight(), parameters_.head.bias);
  EncoderGradients<T> gradients = hidden_backward(std::move(head.grad_x), state);
  add_head_gradients(config_, std::move(head.parameters), gradients);
  return gradients;
}

template <numeric::Real T>
EncoderGradients<T> Encoder<T>::hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state) {
  EncoderGradients<T> gradients;
  EncoderParameters<T>& dense = gradients.parameters;
  dense.layers.resize(config_.num_layers);
  Tensor<T> grad = config_.pooling == model::Pooling::masked_mean ? pool_backward(grad_hidden)
                                                                  : std::move(grad_hidden);
  if (config_.placement == model::NormPlacement::pre)
    grad = run_norm_backward<T>(config_.norm, std::move(grad), "final_norm", state, final_norm_,
                                dense.final_norm, tap_);
  for (std::size_t l = config_.num_layers; l-- > 0;)
    grad = layers_[l].backward(std::move(grad), run_, state, dense.layers[l]);
  if (tap_) tap_("grad_x", grad);
  gradients.embedding =
      nn::embedding_backward(grad, tokens_, config_.vocab_size, config_.scaled_embedding);
  return gradients;
}

template <numeric::Real T>
void add_head_gradients(const EncoderConfig& config, nn::Linear<T> head,
                        EncoderGradients<T>& gradients) {
  EncoderParameters<T>& dense = gradients.parameters;
  add_head_gradients(config.tied_head, std::move(head), gradients.embedding, dense.embedding,
                     dense.head);
}

template <numeric::Real T>
Tensor<T> Encoder<T>::pool(const Tensor<T>& x) {
  const std::size_t width = config_.d_model, seq_len = tokens_.seq_len;
  Tensor<T> pooled = tensor::empty_tensor<T>({tokens_.batch_size, width});
  for (std::size_t b = 0; b < real_.size(); ++b)
    if (real_[b].empty())
      numeric::contract_failure("Encoder", "valid", fmt::format("has no token in sentence {}", b),
                                "one at least", Clause::C5);
  numeric::parallel_for(real_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const T* const sentence = x.data() + b * seq_len * width;
      const auto terms = [&](std::size_t k) {
        return [p = sentence + real_[b][k] * width](auto at) { return at(p); };
      };
      T* const sum = pooled.data() + b * width;
      ops::column_sum<T>(real_[b].size(), width, sum,
                         [&](T* to, auto... k) { ops::accumulate_rows(to, width, terms(k)...); });
      const T n(static_cast<double>(real_[b].size()));
      for (std::size_t d = 0; d < width; ++d) sum[d] /= n;
    }
  });
  return pooled;
}

template <numeric::Real T>
Tensor<T> Encoder<T>::pool_backward(const Tensor<T>& grad_p) const {
  const std::size_t width = config_.d_model, seq_len = tokens_.seq_len;
  Tensor<T> grad = tensor::empty_tensor<T>({tokens_.batch_size, seq_len, width});
  numeric::parallel_for(real_.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<T> share(width);
    for (std::size_t b = begin; b < end; ++b) {
      const T n(static_cast<double>(real_[b].size()));
      for (std::size_t d = 0; d < width; ++d) share[d] = grad_p.data()[b * width + d] / n;
      T* const sentence = grad.data() + b * seq_len * width;
      if (real_[b].size() < seq_len) std::fill_n(sentence, seq_len * width, T(0));
      for (const std::size_t t : real_[b]) std::ranges::copy(share, sentence + t * width);
    }
  });
  return grad;
}

#define NORMPROOF_INSTANTIATE(T) \
  template class Encoder<T>;     \
  template void add_head_gradients(const EncoderConfig&, nn::Linear<T>, EncoderGradients<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
