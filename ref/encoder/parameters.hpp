#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ref/model/encoder_config.hpp"
#include "ref/nn/embedding.hpp"
#include "ref/nn/feed_forward.hpp"
#include "ref/nn/multi_head_attention.hpp"
#include "ref/norm/norm.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::encoder {

using model::EncoderConfig;
using tensor::Mask;
using tensor::NamedTensors;
using tensor::Tensor;

template <class T>
struct EncoderLayerParameters {
  nn::Attention<T> attention;
  norm::NormParameters<T> norm1;
  nn::FeedForward<T> feed_forward;
  norm::NormParameters<T> norm2;
};

/// The parameters of an encoder, or the gradients by them.
template <class T>
struct EncoderParameters {
  Tensor<T> embedding;  ///< [V,D]
  std::vector<EncoderLayerParameters<T>> layers;
  norm::NormParameters<T> final_norm;  ///< of the placement `pre` alone
  nn::Linear<T> head;                  ///< [C,D], or empty where it is tied; [C]
};

/// A parameter by its name, such as "layers.0.attention.in.weight", and the shape that it has.
struct ParameterShape {
  std::string name;
  tensor::Shape shape;
};

/// Checks    what an encoder needs of its description
/// Requires  (C1) V, D, F, C, H >= 1 and at least one layer  (C2) H divides D
///           (C3) 0 <= dropout < 1
///           (C4) the number of groups of the norm, where it has one, divides D  (C6) the norm of
///           a causal encoder has no statistics over a sentence, which later tokens are part of
///           (C7) a tied head has a class for each token
/// Throws    ContractError naming the field; before it `place`, as "decoder.", and its norm is
///           called `norm`
void check_config(std::string_view function, const EncoderConfig& config,
                  std::string_view place = "", std::string_view norm = "norm");

/// Every parameter in the one order that optimizers, files and hashes keep: the embedding, layer by
/// layer attention, norm1, feed_forward, norm2, then final_norm and the head. A norm has the
/// parameters of model::norm_layer, in their order. A tied head has a bias alone.
std::vector<ParameterShape> parameter_shapes(const EncoderConfig& config);

/// The shape of the parameter that is called so, with or without "layers.<l>.".
tensor::Shape parameter_shape(const EncoderConfig& config, std::string_view name);

/// The description of the parameter of a norm that is called so in the encoder, with or without
/// "layers.<l>."; null where it is no norm's.
const model::NormParameter* norm_parameter(const EncoderConfig& config, std::string_view name);

/// The tensors by name, in that order; those that are empty are left out.
template <numeric::Real T>
NamedTensors<T> to_named(EncoderParameters<T> parameters);

/// The parameters whose names and values to_named gave.
/// Requires  (C5) named has the parameters of config with their shapes, and no other tensor
/// Throws    ContractError; then `named` is as before
template <numeric::Real T>
EncoderParameters<T> from_named(const EncoderConfig& config, NamedTensors<T>&& named);
template <numeric::Real T>
EncoderParameters<T> from_named(const EncoderConfig& config, const NamedTensors<T>& named) {
  return from_named(config, NamedTensors<T>(named));
}

/// What the norms carry from step to step: "layers.0.norm1.running_mean", ...
template <numeric::Real T>
NamedTensors<T> initial_norm_state(const EncoderConfig& config);

}  // namespace normproof::ref::encoder
