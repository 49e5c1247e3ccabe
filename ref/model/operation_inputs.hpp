#pragma once

#include <map>
#include <string>
#include <vector>

#include "ref/model/decoder_config.hpp"
#include "ref/model/norm_inputs.hpp"
#include "ref/model/tokens.hpp"
#include "ref/model/train_options.hpp"
#include "ref/tensor/named_tensors.hpp"

/// The inputs of each kind of operation, as plain data. Code that reads them shares no arithmetic
/// with code that evaluates the operation.
namespace normproof::ref::model {

/// The inputs of a function.
struct FunctionInputs {
  /// The operands of operation_info() that are real numbers.
  tensor::NamedTensors<double> tensors;
  tensor::Mask valid = {};        ///< the elements, keys or rows that take part; empty: all
  std::vector<int> targets = {};  ///< class ids [N], for cross_entropy
};

/// The inputs of an encoder, of one of its layers or of a layer of a decoder.
struct EncoderTensors {
  EncoderConfig config;                  ///< a whole encoder must have dropout 0
  tensor::NamedTensors<double> tensors;  ///< parameters; x, memory, grad_y, or class_weights
  tensor::NamedTensors<double> state;    ///< the running state of the norms
  tensor::Mask valid = {};               ///< [B,T], true = a real token; empty: all are
  /// [B,S], the mask of the memory in a layer of a decoder; empty: all.
  tensor::Mask memory_valid = {};
  /// Dropout masks of a layer, named and shaped as by mask_shapes.
  std::map<std::string, tensor::Mask> masks = {};
  Tokens tokens = {};            ///< input of a whole encoder
  std::vector<int> labels = {};  ///< class labels [B] of a whole encoder
  Mode mode = Mode::training;
};

/// The inputs of a whole Transformer or of decoding. T is the length of `tokens`.
struct TransformerTensors {
  /// Its dropout must be 0. A language model and decoding use the decoder's side alone.
  DecoderConfig config;
  LossOptions loss;
  tensor::NamedTensors<double> tensors;  ///< parameters; memory, and past keys and values
  tensor::NamedTensors<double> state;    ///< the running state of the norms
  Tokens source = {};                    ///< source tokens of a translator, [B,S]
  /// [B,S], the mask of the source or of the memory; empty: all.
  tensor::Mask source_valid = {};
  Tokens tokens = {};             ///< [B,T]
  tensor::Mask valid = {};        ///< [B,T], true = a real token; empty: all are
  std::vector<int> targets = {};  ///< [B T]; those at padding do not count
  Mode mode = Mode::training;
};

/// The inputs of one or more steps of an optimizer.
struct OptimizerTensors {
  tensor::Tensor<double> parameter;
  /// One per step, each with the parameter's shape.
  std::vector<tensor::Tensor<double>> gradients;
  /// The tensors of checks::evaluation::moment_names, with the parameter's shape, and iterations [1].
  tensor::NamedTensors<double> state;
};

/// The inputs of one operation of any kind. A layer has the inputs of every step, and the state
/// before the first step. Of the other members only the one for the kind of operation is filled.
struct OperationInputs {
  std::vector<NormInputs<double>> steps;
  tensor::NamedTensors<double> state;
  FunctionInputs function = {};     ///< for a function, which has no steps
  EncoderTensors encoder = {};      ///< for an encoder or a layer of one, which have no steps
  OptimizerTensors optimizer = {};  ///< for an optimizer, with one gradient per step
  TransformerTensors transformer = {};
};

}  // namespace normproof::ref::model
