#pragma once

#include <map>
#include <string>

#include "ref/encoder/encoder.hpp"
#include "tests/ref/nn/gradient_check.hpp"

// Small encoders with random parameters, for tests.
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

/// Returns random parameters with the given names and shapes. The standard deviation is 1/4, and
/// the mean is 1 for gamma and 0 for all others.
template <class T>
NamedTensors<T> random_values(const std::vector<ParameterShape>& shapes) {
  NamedTensors<T> parameters;
  for (const ParameterShape& p : shapes) {
    Tensor<T> values = nn::random_tensor<T>(p.name, p.shape);
    const bool gamma = p.name.ends_with(".gamma");
    for (T& v : values) v = (gamma ? T(1) : T(0)) + v / T(4);
    parameters.set(p.name, std::move(values));
  }
  return parameters;
}
template <class T>
NamedTensors<T> random_parameters(const EncoderConfig& config) {
  return random_values<T>(parameter_shapes(config));
}

/// Returns a tap, that is, an object that receives intermediate tensors of a model. The tap stores
/// the mask of each dropout in `masks`. It receives the masks as tensors whose names end with
/// ".keep"; the key in `masks` lacks this suffix.
inline TensorTap<double> make_mask_recorder(std::map<std::string, Mask>& masks) {
  return [&masks](const std::string& name, const Tensor<double>& values) {
    constexpr std::string_view kKeepMaskSuffix = ".keep";
    if (!name.ends_with(kKeepMaskSuffix)) return;
    Mask keep = tensor::empty_tensor<bool>(tensor::shape_of(values));
    for (std::size_t i = 0; i < keep.size(); ++i) keep.data()[i] = values.data()[i] != 0;
    masks.emplace(name.substr(0, name.size() - kKeepMaskSuffix.size()), keep);
  };
}

/// Returns the dense gradient [V,D] that has the given rows. All other rows are 0.
template <class T>
Tensor<T> to_dense(const nn::RowGradient<T>& rows, std::size_t vocab_size, std::size_t d_model) {
  Tensor<T> whole = tensor::full_tensor<T>({vocab_size, d_model}, T(0));
  nn::add_rows(whole, rows);
  return whole;
}

/// Returns a batch of two sentences of length 3. The second sentence ends with padding.
inline EncoderInputs two_sentences() {
  return {{2, 3, {1, 4, 2, 3, 1, 0}}, Mask{{true, true, true}, {true, true, false}}};
}

}  // namespace normproof::ref::encoder
