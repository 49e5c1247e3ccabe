#pragma once

#include <map>
#include <string>
#include <vector>

#include "ref/model/decoder_config.hpp"
#include "ref/model/norm_inputs.hpp"
#include "ref/model/tokens.hpp"
#include "ref/model/train_options.hpp"
#include "ref/tensor/named_tensors.hpp"

/// The inputs of each kind of operation as plain data. Readers and evaluations share these structs,
/// but no arithmetic.
namespace normproof::ref::model {

/// What a function takes.
struct FunctionInputs {
  tensor::NamedTensors<double> tensors;  ///< the operands of operation_info
  tensor::Mask valid = {};               ///< what takes part; empty: all
  std::vector<int> targets = {};         ///< of cross_entropy, [N]
};

/// What an encoder, one of its layers or a layer of a decoder takes.
struct EncoderTensors {
  EncoderConfig config;                  ///< an encoder is without dropout
  tensor::NamedTensors<double> tensors;  ///< parameters; x, memory, grad_y, or class_weights
  tensor::NamedTensors<double> state;    ///< what the norms carry
  tensor::Mask valid = {};               ///< [B,T], true = a real token, or empty: all
  tensor::Mask memory_valid = {};        ///< [B,S], the same of a decoder's source
  std::map<std::string, tensor::Mask> masks = {};  ///< of a layer's dropouts, by mask_shapes
  Tokens tokens = {};                              ///< of an encoder
  std::vector<int> labels = {};                    ///< of an encoder, [B]
  Mode mode = Mode::training;
};

/// What a whole Transformer, or decoding, takes; T is the length of what is predicted from.
struct TransformerTensors {
  /// Without dropout. A language model and decoding have its decoder's side alone.
  DecoderConfig config;
  LossOptions loss;
  tensor::NamedTensors<double> tensors;  ///< parameters; memory, and past keys and values
  tensor::NamedTensors<double> state;    ///< what the norms carry
  Tokens source = {};                    ///< of a translator, [B,S]
  tensor::Mask source_valid = {};        ///< [B,S] of it, or of the memory; empty: all
  Tokens tokens = {};                    ///< [B,T]
  tensor::Mask valid = {};               ///< [B,T], true = a real token, or empty: all
  std::vector<int> targets = {};         ///< [B T]; those of padding do not count
  Mode mode = Mode::training;
};

/// What the steps of an optimizer take.
struct OptimizerTensors {
  tensor::Tensor<double> parameter;
  std::vector<tensor::Tensor<double>> gradients;  ///< of each step, with its shape
  /// Each of checks::evaluation::moment_names, with the parameter's shape; iterations [1].
  tensor::NamedTensors<double> state;
};

/// The inputs of one operation of any kind. A layer has `steps` and `state`, every other kind the
/// member that is named after it.
struct OperationInputs {
  std::vector<NormInputs<double>> steps;
  tensor::NamedTensors<double> state;   ///< before the first step
  FunctionInputs function = {};         ///< of a function, which has no steps
  EncoderTensors encoder = {};          ///< of an encoder or a layer, which has none either
  OptimizerTensors optimizer = {};      ///< of an optimizer, with its gradients step by step
  TransformerTensors transformer = {};  ///< of a whole Transformer or of decoding
};

}  // namespace normproof::ref::model
