#pragma once

#include <string>
#include <vector>

#include "gpu/decoder/decoder.hpp"
#include "ref/decoder/decoder.hpp"
#include "tests/gpu/device/samples.hpp"

/// Small translation models with random parameters, for tests.
namespace normproof::gpu::decoder {

using RefTensors = ref::tensor::NamedTensors<double>;

/// Returns the config of an encoder-decoder model with two encoder layers, two decoder layers and a
/// dropout rate of 0.25.
inline DecoderConfig small_translator_config(const std::string& encoder_norm,
                                             const std::string& decoder_norm,
                                             ref::model::NormPlacement placement) {
  const auto side = [](const std::string& norm, std::size_t d_ff) {
    const ref::model::NormOptions options = ref::model::norm_options(norm);
    return ref::model::LayersConfig{2, d_ff, 2, options, options};
  };
  DecoderConfig config;
  config.source_vocab_size = 11;
  config.target_vocab_size = 9;
  config.d_model = 8;
  config.encoder = side(encoder_norm, 12);
  config.decoder = side(decoder_norm, 10);
  config.placement = placement;
  config.dropout = 0.25;
  return config;
}

/// Returns the config of one model for each norm and each placement of it. A norm that computes
/// statistics for each sentence separately is used in the encoder only; the decoder then has
/// layer_norm.
inline std::vector<DecoderConfig> make_translators_of_every_norm() {
  std::vector<DecoderConfig> configs;
  for (const std::string& norm : ref::model::norm_names())
    for (const auto placement : {ref::model::NormPlacement::post, ref::model::NormPlacement::pre}) {
      const bool spans_samples =
          ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample();
      configs.push_back(
          small_translator_config(norm, spans_samples ? "layer_norm" : norm, placement));
    }
  return configs;
}

/// Returns random parameters with a standard deviation of 1/2.
inline RefTensors sample_parameters(const DecoderConfig& config) {
  RefTensors named;
  for (const auto& p : ref::decoder::parameter_shapes(config)) {
    auto values = random_normal_tensor(p.shape, p.name);
    for (double& v : values) v /= 2;
    named.set(p.name, std::move(values));
  }
  return named;
}

}  // namespace normproof::gpu::decoder
