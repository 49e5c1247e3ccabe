#pragma once

#include <map>
#include <string>
#include <vector>

#include "ref/model/decoder_config.hpp"
#include "ref/model/norm_inputs.hpp"
#include "ref/model/tokens.hpp"
#include "ref/model/train_options.hpp"
#include "ref/tensor/named_tensors.hpp"

/// The inputs of each kind of operation, as plain data. The code that reads them shares no
/// arithmetic with the code that computes the operation.
namespace normproof::ref::model {

/// The inputs of a function.
struct FunctionInputs {
  /// The operands whose elements are real numbers. Their names are those in operation_info().
  tensor::NamedTensors<double> tensors;
  tensor::Mask valid = {};        ///< true: an element, key or row takes part; empty: all do
  std::vector<int> targets = {};  ///< class ids [N], for cross_entropy
};

/// The inputs of a whole encoder, of one of its layers, or of one layer of a decoder.
struct EncoderTensors {
  EncoderConfig config;                  ///< a whole encoder must have dropout 0
  tensor::NamedTensors<double> tensors;  ///< parameters; x, memory, grad_y, or class_weights
  tensor::NamedTensors<double> state;    ///< the running state of the norms
  tensor::Mask valid = {};               ///< [B,T], true: a real token; empty: all are real
  /// The mask of the memory in a layer of a decoder, [B,S]. If it is empty, all tokens of the
  /// memory are real.
  tensor::Mask memory_valid = {};
  /// The dropout masks of a layer. mask_shapes returns their names and shapes.
  std::map<std::string, tensor::Mask> masks = {};
  Tokens tokens = {};            ///< input of a whole encoder
  std::vector<int> labels = {};  ///< class labels [B] of a whole encoder
  Mode mode = Mode::training;
};

/// The inputs of a whole Transformer or of decoding. In the comments below, T is the number of
/// tokens per sample of `tokens`.
struct TransformerTensors {
  /// The configuration, with dropout 0. A language model and decoding use only the decoder's side.
  DecoderConfig config;
  LossOptions loss;
  tensor::NamedTensors<double> tensors;  ///< parameters; memory, and past keys and values
  tensor::NamedTensors<double> state;    ///< the running state of the norms
  Tokens source = {};                    ///< source tokens of a translator, [B,S]
  /// The mask of the source or of the memory, [B,S]. If it is empty, all tokens are real.
  tensor::Mask source_valid = {};
  Tokens tokens = {};             ///< [B,T]
  tensor::Mask valid = {};        ///< [B,T], true: a real token; empty: all are real
  std::vector<int> targets = {};  ///< [B T]; those at padding do not count
  Mode mode = Mode::training;
};

/// The inputs of one or more steps of an optimizer.
struct OptimizerTensors {
  tensor::Tensor<double> parameter;
  /// The gradients, one per step, each with the parameter's shape.
  std::vector<tensor::Tensor<double>> gradients;
  /// The state of the optimizer: the tensors that checks::evaluation::moment_names lists, with the
  /// parameter's shape, and iterations [1].
  tensor::NamedTensors<double> state;
};

/// The inputs of one operation of any kind. For a layer, `steps` has the inputs of every step, and
/// `state` is the state before the first step. For any other kind of operation, the inputs are in
/// the member for this kind, and the members for the other kinds are empty.
struct OperationInputs {
  std::vector<NormInputs<double>> steps;
  tensor::NamedTensors<double> state;
  FunctionInputs function = {};     ///< for a function, which has no steps
  EncoderTensors encoder = {};      ///< for an encoder or a layer of one, which have no steps
  OptimizerTensors optimizer = {};  ///< for an optimizer, with one gradient per step
  TransformerTensors transformer = {};
};

}  // namespace normproof::ref::model
