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

/// The parameters of an encoder, or their gradients.
template <class T>
struct EncoderParameters {
  Tensor<T> embedding;  ///< [V,D]
  std::vector<EncoderLayerParameters<T>> layers;
  norm::NormParameters<T> final_norm;  ///< exists only for the placement `pre`
  nn::Linear<T> head;                  ///< [C,D], or empty if it is tied; [C]
};

/// The name of a parameter, such as "layers.0.attention.in.weight", and its shape.
struct ParameterShape {
  std::string name;
  tensor::Shape shape;
};

/// Checks the configuration of an encoder. Error messages put `place`, such as "decoder.", before
/// the name of a field, and they use `norm` as the name of the field of the norm.
/// Requires  (C1) V, D, F, C and H are at least 1, and there is at least one layer
///           (C2) H divides D  (C3) 0 <= dropout < 1
///           (C4) if the norm has groups, their number divides D
///           (C6) the norm of a causal encoder has no statistics over a sentence, because these
///           would include later tokens  (C7) a tied head has a class for each token
/// Throws    ContractError that names the field
void check_config(std::string_view function, const EncoderConfig& config,
                  std::string_view place = "", std::string_view norm = "norm");

/// Returns the names and shapes of all parameters, in the order that optimizers, files and hashes
/// use: the embedding; for each layer attention, norm1, feed_forward, norm2; then final_norm and
/// the head. The parameters of a norm have the order that its NormLayer states. A tied head has
/// only a bias.
std::vector<ParameterShape> parameter_shapes(const EncoderConfig& config);

/// Returns the shape of the parameter with this name. The prefix "layers.<l>." may be omitted.
tensor::Shape parameter_shape(const EncoderConfig& config, std::string_view name);

/// Returns the description of the parameter `name` of an encoder if the parameter belongs to a
/// norm. Otherwise the result is null. The prefix "layers.<l>." of the name may be omitted.
const model::NormParameter* norm_parameter(const EncoderConfig& config, std::string_view name);

/// Returns the non-empty tensors of `parameters` with their names, in the order of
/// parameter_shapes.
template <numeric::Real T>
NamedTensors<T> to_named(EncoderParameters<T> parameters);

/// Reverses to_named: returns the parameters that the names and tensors in `named` describe.
/// Requires  (C5) named has exactly the parameters of config, with their shapes
/// Throws    ContractError, and leaves `named` unchanged
template <numeric::Real T>
EncoderParameters<T> from_named(const EncoderConfig& config, NamedTensors<T>&& named);
template <numeric::Real T>
EncoderParameters<T> from_named(const EncoderConfig& config, const NamedTensors<T>& named) {
  return from_named(config, NamedTensors<T>(named));
}

/// Returns the initial running statistics of all norms by name, such as
/// "layers.0.norm1.running_mean".
template <numeric::Real T>
NamedTensors<T> initial_norm_state(const EncoderConfig& config);

}  // namespace normproof::ref::encoder
