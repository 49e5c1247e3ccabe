#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ref/model/decoder_config.hpp"
#include "ref/model/norm_inputs.hpp"
#include "ref/model/tokens.hpp"
#include "ref/model/train_options.hpp"
#include "ref/tensor/named_tensors.hpp"

/// What each kind of operation takes, as plain data: whoever reads it shares no arithmetic with
/// whoever evaluates it.
namespace normproof::verification::operands {

/// What a function takes.
struct FunctionInputs {
  ref::tensor::NamedTensors<double> tensors;  ///< those of operands_of, and others or not
  ref::tensor::Mask valid = {};               ///< what takes part; empty: all
  std::vector<int> targets = {};              ///< of cross_entropy, [N]
};

/// What an encoder, one of its layers or a layer of a decoder takes.
struct EncoderTensors {
  ref::model::EncoderConfig config;           ///< an encoder is without dropout
  ref::tensor::NamedTensors<double> tensors;  ///< parameters; x, memory, grad_y, or class_weights
  ref::tensor::NamedTensors<double> state;    ///< what the norms carry
  ref::tensor::Mask valid = {};               ///< [B,T], true = a real token, or empty: all
  ref::tensor::Mask memory_valid = {};        ///< [B,S], the same of a decoder's source
  std::map<std::string, ref::tensor::Mask> masks = {};  ///< of a layer's dropouts, by mask_shapes
  ref::model::Tokens tokens = {};                       ///< of an encoder
  std::vector<int> labels = {};                         ///< of an encoder, [B]
  ref::model::Mode mode = ref::model::Mode::training;
};

/// What a whole Transformer, or decoding, takes; T is the length of what is predicted from.
struct TransformerTensors {
  /// Without dropout. A language model and decoding have its decoder's side alone.
  ref::model::DecoderConfig config;
  ref::model::LossOptions loss;
  ref::tensor::NamedTensors<double> tensors;  ///< parameters; memory, and past keys and values
  ref::tensor::NamedTensors<double> state;    ///< what the norms carry
  ref::model::Tokens source = {};             ///< of a translator, [B,S]
  ref::tensor::Mask source_valid = {};        ///< [B,S] of it, or of the memory; empty: all
  ref::model::Tokens tokens = {};             ///< [B,T]
  ref::tensor::Mask valid = {};               ///< [B,T], true = a real token, or empty: all
  std::vector<int> targets = {};              ///< [B T]; those of padding do not count
  ref::model::Mode mode = ref::model::Mode::training;
};

/// What the steps of an optimizer take.
struct OptimizerTensors {
  ref::tensor::Tensor<double> parameter;
  std::vector<ref::tensor::Tensor<double>> gradients;  ///< of each step, with its shape
  /// Each of checks::evaluation::moment_names, with the parameter's shape; iterations [1].
  ref::tensor::NamedTensors<double> state;
};

/// What `normproof eval` reads from a file: the inputs of every step, and the state before the
/// first.
struct EvalInputs {
  std::vector<ref::model::NormInputs<double>> steps;
  ref::tensor::NamedTensors<double> state;
  FunctionInputs function = {};         ///< of a function, which has no steps
  EncoderTensors encoder = {};          ///< of an encoder or a layer, which has none either
  OptimizerTensors optimizer = {};      ///< of an optimizer, with its gradients step by step
  TransformerTensors transformer = {};  ///< of a whole Transformer or of decoding
};

/// The tensors that a function needs, the first of which gives a case its shape: "x", and "gate"
/// where it takes one, or "residual"; of attention "q", "k" and "v", of cross_entropy "logits" and
/// "targets", of rope "x", "cos" and "sin".
std::vector<std::string> operands_of(std::string_view function);

/// softmax and log_sum_exp: some elements may take no part; attention: some keys; cross_entropy:
/// some rows.
bool takes_mask(std::string_view function);

/// swiglu and geglu: what the activation of x multiplies, `gate`, is an operand of their own.
bool takes_gate(std::string_view function);

/// add_layer_norm and add_rms_norm: x, and `residual` of its shape, are added before the norm, and
/// the sum is an output; `gamma` and `beta` [D] may be left out. `grad_sum` is what arrives at the
/// sum.
bool adds_residual(std::string_view function);

}  // namespace normproof::verification::operands
