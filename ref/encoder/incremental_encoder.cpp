#include "ref/encoder/incremental_encoder.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/nn/positional_encoding.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::encoder {

using numeric::Clause;

template <numeric::Real T>
IncrementalEncoder<T>::IncrementalEncoder(const EncoderConfig& config,
                                          const EncoderParameters<T>& parameters,
                                          const NamedTensors<T>& state)
    : config_(config), parameters_(parameters), state_(state), caches_(config.num_layers) {
  check_config("IncrementalEncoder", config);
  if (!config.causal || config.pooling != model::Pooling::per_position)
    numeric::contract_failure("IncrementalEncoder", "config",
                              config.causal ? "has the pooling masked_mean" : "is not causal",
                              "a causal encoder whose pooling is per_position", Clause::C1);
}

template <numeric::Real T>
Tensor<T> IncrementalEncoder<T>::append(std::int32_t token) {
  if (token < 0 || static_cast<std::size_t>(token) >= config_.vocab_size)
    numeric::contract_failure("IncrementalEncoder", "token", fmt::format("is {}", token),
                              fmt::format("0 to {}", config_.vocab_size - 1), Clause::C2);
  Tensor<T> x = nn::embedding({1, 1, {token}}, parameters_.embedding, config_.scaled_embedding);
  if (config_.positions) nn::add_positions(x, size_);
  ++size_;
  for (std::size_t l = 0; l < config_.num_layers; ++l) x = run_layer(l, std::move(x));
  NamedNorm<T> final_norm;
  if (config_.placement == model::NormPlacement::pre)
    x = run_norm<T>(config_.norm, parameters_.final_norm, std::move(x), {}, model::Mode::inference,
                    "final_norm", state_, final_norm, {});
  Tensor<T> logits =
      nn::linear(x, config_.tied_head ? parameters_.embedding : parameters_.head.weight,
                 parameters_.head.bias);
  logits.reshape({config_.num_classes});
  return logits;
}

template <numeric::Real T>
Tensor<T> IncrementalEncoder<T>::run_layer(std::size_t layer, Tensor<T> x) {
  const EncoderLayerParameters<T>& own = parameters_.layers.at(layer);
  const std::string place = fmt::format("layers.{}", layer);
  const ModelRunSettings run{.mode = model::Mode::inference};
  const Mask all;
  const TensorTap<T> tap;
  const LayerCall<T> call{place, config_.norm, config_.placement, 0, all, run, state_, tap};
  ResidualSublayer<T> attending, feeding;
  Tensor<T> h = run_residual_sublayer(
      call, "norm1", own.norm1, std::move(x), attending, [&](const Tensor<T>& in) {
        return nn::attend_to_one_more(in, own.attention, config_.num_heads, caches_[layer]);
      });
  return run_residual_sublayer(
      call, "norm2", own.norm2, std::move(h), feeding, [&](const Tensor<T>& in) {
        return nn::feed_forward<T>(in, own.feed_forward, {.activation = config_.activation}).y;
      });
}

#define NORMPROOF_INSTANTIATE(T) template class IncrementalEncoder<T>;
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
