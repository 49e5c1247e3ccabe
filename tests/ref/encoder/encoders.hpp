#pragma once

#include <string>

#include "ref/encoder/encoder.hpp"
#include "tests/ref/nn/gradient_check.hpp"

// Small encoders with random parameters.
namespace normproof::ref::encoder {

inline EncoderConfig small_config(const std::string& norm, model::NormPlacement placement,
                                  std::size_t num_layers) {
  EncoderConfig config;
  config.vocab_size = 5;
  config.d_model = 4;
  config.num_heads = 2;
  config.d_ff = 3;
  config.num_layers = num_layers;
  config.placement = placement;
  config.activation = model::Activation::gelu;
  config.norm = model::norm_options(norm);
  config.dropout = 0;
  return config;
}

/// gamma near 1, everything else small.
template <class T>
NamedTensors<T> random_parameters(const EncoderConfig& config) {
  NamedTensors<T> parameters;
  for (const ParameterShape& p : parameter_shapes(config)) {
    Tensor<T> values = nn::random_tensor<T>(p.name, p.shape);
    const bool gamma = p.name.ends_with(".gamma");
    for (T& v : values) v = (gamma ? T(1) : T(0)) + v / T(4);
    parameters.set(p.name, std::move(values));
  }
  return parameters;
}

/// Two sentences, the second with a pad.
inline EncoderInputs two_sentences() {
  return {{2, 3, {1, 4, 2, 3, 1, 0}}, Mask{{true, true, true}, {true, true, false}}};
}

}  // namespace normproof::ref::encoder
