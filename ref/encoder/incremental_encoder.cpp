#include "ref/encoder/incremental_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/nn/positional_encoding.hpp"
#include "ref/ops/arithmetic.hpp"
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
  Tensor<T> x = nn::embedding({1, 1, {token}}, parameters_.embedding);
  if (config_.positions) add_position(x);
  ++size_;
  for (std::size_t l = 0; l < config_.num_layers; ++l) x = pass_layer(l, std::move(x));
  if (config_.placement == model::NormPlacement::pre)
    x = normalise(std::move(x), parameters_.final_norm, "final_norm");
  Tensor<T> logits =
      nn::linear(x, config_.tied_head ? parameters_.embedding : parameters_.head.weight,
                 parameters_.head.bias);
  logits.reshape({config_.num_classes});
  return logits;
}

template <numeric::Real T>
void IncrementalEncoder<T>::add_position(Tensor<T>& x) {
  const std::size_t width = config_.d_model;
  if (!tensor::is_given(positions_) || positions_.size() <= size_ * width)
    positions_ = nn::positional_encoding(std::max<std::size_t>(64, 2 * size_), width);
  for (std::size_t d = 0; d < width; ++d) x.data()[d] += T(positions_.data()[size_ * width + d]);
}

template <numeric::Real T>
Tensor<T> IncrementalEncoder<T>::normalise(Tensor<T> x, const norm::NormParameters<T>& parameters,
                                           const std::string& place) {
  NormSite<T> site;
  return run_norm<T>(config_, parameters, std::move(x), {}, model::Mode::inference, place, state_,
                     site, {});
}

template <numeric::Real T>
Tensor<T> IncrementalEncoder<T>::pass_layer(std::size_t layer, Tensor<T> x) {
  const EncoderLayerParameters<T>& own = parameters_.layers.at(layer);
  const std::string place = fmt::format("layers.{}.", layer);
  const auto attend = [&](const Tensor<T>& values) {
    return nn::attend_to_one_more(values, own.attention, config_.num_heads, caches_[layer]);
  };
  const auto feed = [&](const Tensor<T>& values) {
    return nn::feed_forward<T>(values, own.feed_forward, {.activation = config_.activation}).y;
  };
  if (config_.placement == model::NormPlacement::post) {
    Tensor<T> h = attend(x);
    ops::add_in_place(h, x);
    h = normalise(std::move(h), own.norm1, place + "norm1");
    Tensor<T> y = feed(h);
    ops::add_in_place(y, h);
    return normalise(std::move(y), own.norm2, place + "norm2");
  }
  Tensor<T> h = attend(normalise(x, own.norm1, place + "norm1"));
  ops::add_in_place(h, x);
  Tensor<T> y = feed(normalise(h, own.norm2, place + "norm2"));
  ops::add_in_place(y, h);
  return y;
}

#define NORMPROOF_INSTANTIATE(T) template class IncrementalEncoder<T>;
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
