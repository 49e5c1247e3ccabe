#pragma once

#include <map>
#include <string>
#include <vector>

#include "ref/encoder/encoder_layer.hpp"

namespace normproof::verification::claims::engine {

using ref::encoder::EncoderConfig;
using ref::encoder::EncoderLayerParameters;
using ref::model::Mode;
using ref::tensor::Tensor;

/// The inputs of the layers of an encoder on one sentence. There is no embedding and no head.
template <class T>
struct StackInputs {
  EncoderConfig config;
  std::vector<EncoderLayerParameters<T>> layers;
  bool final_norm = false;  ///< whether a norm without gamma and beta follows the last layer
  Tensor<T> x;              ///< [1,T,D]
  Tensor<T> grad_y = {};    ///< [1,T,D], or empty: forward only
  Mode mode = Mode::training;
  /// The input of an earlier training step, of shape [1,T,D]. This step updates the running
  /// statistics first. Empty if there is no earlier step.
  Tensor<T> before = {};
};

template <class T>
struct StackStep {
  Tensor<T> y, grad_x;
  std::vector<EncoderLayerParameters<T>> gradients;  ///< layer by layer
  /// The intermediate tensors of the forward pass. The keys are their names, such as
  /// "layers.0.norm2.x" and "final_norm.rstd".
  std::map<std::string, Tensor<T>> values;
};

/// Runs the layers of an encoder.
///
/// Computes  the layers of ref::encoder one after another, without padding and dropout; also the
///           layers' backwards if grad_y is given
/// Throws    ContractError as the layers do
template <class T>
StackStep<T> run_stack(const StackInputs<T>& inputs);

}  // namespace normproof::verification::claims::engine
