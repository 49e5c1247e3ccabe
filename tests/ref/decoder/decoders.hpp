#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "tests/ref/encoder/encoders.hpp"

// Small translation models with random parameters, for tests.
namespace normproof::ref::decoder {

using model::NormPlacement;
using tensor::Shape;

inline DecoderConfig small_decoder_config(const std::string& encoder_norm,
                                          const std::string& decoder_norm, NormPlacement placement,
                                          std::size_t num_layers = 1) {
  DecoderConfig config;
  config.source_vocab_size = 4;
  config.target_vocab_size = 3;
  config.d_model = 4;
  const auto make_side = [&](const std::string& norm, std::size_t d_ff) {
    const model::NormOptions options = model::norm_options(norm);
    return model::LayersConfig{2, d_ff, num_layers, options, options};
  };
  config.encoder = make_side(encoder_norm, 2);
  config.decoder = make_side(decoder_norm, 3);
  config.placement = placement;
  config.activation = model::Activation::gelu;
  config.dropout = 0;
  return config;
}

template <class T>
DecoderParameters<T> random_decoder_parameters(const DecoderConfig& config) {
  return from_named(config, encoder::random_values<T>(parameter_shapes(config)));
}

/// Returns two sentence pairs. The source of the second pair and the target of the first pair end
/// with padding.
inline DecoderInputs two_sentence_pairs() {
  return {{{2, 3, {1, 3, 2, 3, 1, 0}}, Mask{{true, true, true}, {true, true, false}}},
          {{2, 2, {1, 0, 2, 1}}, Mask{{true, false}, {true, true}}}};
}

/// Returns the names of the norms that a decoder may have: the norms that do not compute statistics
/// for each sentence separately.
inline std::vector<std::string> decoder_norm_names() {
  std::vector<std::string> names;
  for (const std::string& name : model::norm_names())
    if (!model::norm_layer(model::norm_options(name)).uses_statistics_per_sample())
      names.push_back(name);
  return names;
}

/// Returns small models with each norm of decoder_norm_names() in encoder and decoder, and small
/// models whose encoder has a norm that computes statistics for each sentence separately. Each
/// model comes in two versions, with post-norm and with pre-norm.
inline std::vector<DecoderConfig> decoder_configs(std::size_t num_layers) {
  std::vector<DecoderConfig> configs;
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    for (const std::string& norm : decoder_norm_names())
      configs.push_back(small_decoder_config(norm, norm, placement, num_layers));
    for (const char* norm : {"group_norm", "instance_norm"})
      configs.push_back(small_decoder_config(norm, "layer_norm", placement, num_layers));
  }
  return configs;
}

inline std::string config_label(const DecoderConfig& config) {
  return model::norm_name(config.encoder.norm) + " " + model::norm_name(config.decoder.norm) +
         (config.placement == NormPlacement::pre ? " pre" : " post");
}

}  // namespace normproof::ref::decoder
