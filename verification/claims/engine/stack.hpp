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

/// The layers of an encoder on one sentence, between embedding and head.
template <class T>
struct StackInputs {
  EncoderConfig config;
  std::vector<EncoderLayerParameters<T>> layers;
  bool final_norm = false;  ///< a norm without gamma and beta after the last layer
  Tensor<T> x;              ///< [1,T,D]
  Tensor<T> grad_y = {};    ///< [1,T,D], or empty: forward alone
  Mode mode = Mode::training;
  Tensor<T> before = {};  ///< [1,T,D], a training step that moves the statistics first; or empty
};

template <class T>
struct StackStep {
  Tensor<T> y, grad_x;
  std::vector<EncoderLayerParameters<T>> gradients;  ///< layer by layer
  /// What the forward computes on its way: "layers.0.norm2.x", "final_norm.rstd", ...
  std::map<std::string, Tensor<T>> values;
};

/// Computes  ref::encoder's layers one after the other, without padding and without dropout, and
///           their backwards where grad_y is given
/// Throws    ContractError as the layers do
template <class T>
StackStep<T> run_stack(const StackInputs<T>& inputs);

}  // namespace normproof::verification::claims::engine
