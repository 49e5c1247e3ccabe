#include "ref/decoder/incremental_decoder.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/nn/positional_encoding.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::decoder {

using numeric::Clause;

namespace {

constexpr auto kIncrementalDecoder = "IncrementalDecoder";
constexpr ModelRunSettings kInferenceSettings{.mode = model::Mode::inference, .memory = 0};

template <class T>
Memory<T> encode_source(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                        NamedTensors<T> state, const std::vector<std::int32_t>& source) {
  check_decoder(kIncrementalDecoder, config);
  if (source.empty())
    numeric::contract_failure(kIncrementalDecoder, "source", "has no token", "one at least",
                              Clause::C5);
  return Decoder<T>(config, parameters)
      .encode({{1, source.size(), source}}, kInferenceSettings, state);
}

/// Returns the number of positions whose keys and values the caches hold.
template <class T>
std::size_t cached_positions(const DecoderConfig& config,
                             const std::vector<nn::KeyValueCache<T>>& caches) {
  const std::size_t d = config.d_model;
  for (const nn::KeyValueCache<T>& cache : caches)
    if (cache.keys.size() != caches.front().keys.size() ||
        cache.values.size() != cache.keys.size() || cache.keys.size() % d != 0)
      numeric::contract_failure(kIncrementalDecoder, "past",
                                fmt::format("has {} numbers of keys and {} of values",
                                            cache.keys.size(), cache.values.size()),
                                fmt::format("as many of both in each layer, rows of {}", d),
                                Clause::C8);
  if (caches.size() != config.decoder.num_layers)
    numeric::contract_failure(kIncrementalDecoder, "past",
                              fmt::format("has {} layers", caches.size()),
                              fmt::format("{}, or none", config.decoder.num_layers), Clause::C8);
  return caches.front().keys.size() / d;
}

}  // namespace

template <numeric::Real T>
IncrementalDecoder<T>::IncrementalDecoder(const DecoderConfig& config,
                                          const DecoderParameters<T>& parameters,
                                          NamedTensors<T> state,
                                          const std::vector<std::int32_t>& source)
    : IncrementalDecoder(config, parameters, state,
                         encode_source(config, parameters, state, source)) {}

template <numeric::Real T>
IncrementalDecoder<T>::IncrementalDecoder(const DecoderConfig& config,
                                          const DecoderParameters<T>& parameters,
                                          NamedTensors<T> state, const Memory<T>& memory,
                                          std::vector<nn::KeyValueCache<T>> past)
    : config_(&config), parameters_(&parameters), caches_(std::move(past)) {
  check_decoder(kIncrementalDecoder, config);
  if (memory.values.dimension() != 3 || memory.values.shape(0) != 1)
    numeric::contract_failure(kIncrementalDecoder, "memory",
                              "has shape " + tensor::to_string(tensor::shape_of(memory.values)),
                              "[1,S,D]", Clause::C7);
  if (caches_.empty()) caches_.resize(config.decoder.num_layers);
  size_ = cached_positions(config, caches_);
  shared_ = std::make_shared<SharedSourceData>(
      SharedSourceData{target_side(config), std::move(state), {}, memory.valid});
  for (const DecoderLayerParameters<T>& layer : parameters.layers)
    shared_->keys_values.push_back(nn::keys_and_values(memory.values, layer.cross_attention));
}

template <numeric::Real T>
Tensor<T> IncrementalDecoder<T>::append(std::int32_t token) {
  const std::size_t words = config_->target_vocab_size;
  if (token < 0 || static_cast<std::size_t>(token) >= words)
    numeric::contract_failure(kIncrementalDecoder, "token", fmt::format("is {}", token),
                              fmt::format("0 to {}", words - 1), Clause::C6);
  Tensor<T> x = nn::embedding({1, 1, {token}}, parameters_->embedding, config_->scaled_embedding);
  if (config_->positions) nn::add_positions(x, size_);
  ++size_;
  for (std::size_t l = 0; l < caches_.size(); ++l) x = run_layer(l, std::move(x));
  encoder::NamedNorm<T> final_norm;
  if (config_->placement == model::NormPlacement::pre)
    x = run_norm<T>(config_->decoder.final_norm, parameters_->final_norm, std::move(x), {},
                    kInferenceSettings.mode, "decoder.final_norm", shared_->state, final_norm, {});
  Tensor<T> logits =
      nn::linear(x, config_->tied_head ? parameters_->embedding : parameters_->head.weight,
                 parameters_->head.bias);
  logits.reshape({words});
  return logits;
}

template <numeric::Real T>
Tensor<T> IncrementalDecoder<T>::run_layer(std::size_t layer, Tensor<T> x) {
  const DecoderLayerParameters<T>& own = parameters_->layers.at(layer);
  const encoder::EncoderConfig& side = shared_->side;
  const std::string place = fmt::format("decoder.layers.{}", layer);
  const Mask all;
  const TensorTap<T> tap;
  const encoder::LayerCall<T> call{place, side.norm,          side.placement, 0,
                                   all,   kInferenceSettings, shared_->state, tap};
  encoder::ResidualSublayer<T> attending, crossing, feeding;
  x = run_residual_sublayer(
      call, "norm1", own.norm1, std::move(x), attending, [&](const Tensor<T>& in) {
        return nn::attend_to_one_more(in, own.self_attention, side.num_heads, caches_[layer]);
      });
  x = run_residual_sublayer(
      call, "norm2", own.norm2, std::move(x), crossing, [&](const Tensor<T>& in) {
        return nn::attend_to_memory(in, shared_->keys_values[layer], own.cross_attention,
                                    shared_->valid, side.num_heads);
      });
  return run_residual_sublayer(
      call, "norm3", own.norm3, std::move(x), feeding, [&](const Tensor<T>& in) {
        return nn::feed_forward<T>(in, own.feed_forward, {.activation = side.activation}).y;
      });
}

#define NORMPROOF_INSTANTIATE(T) template class IncrementalDecoder<T>;
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::decoder
