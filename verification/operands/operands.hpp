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

/// The inputs of each kind of operation, as plain data. Code that reads them shares no arithmetic
/// with code that evaluates the operation.
namespace normproof::verification::operands {

/// The inputs of a function.
struct FunctionInputs {
  /// The operands of required_operands() and any optional ones.
  ref::tensor::NamedTensors<double> tensors;
  ref::tensor::Mask valid = {};   ///< the elements, keys or rows that take part; empty: all
  std::vector<int> targets = {};  ///< class ids [N], for cross_entropy
};

/// The inputs of an encoder, of one of its layers or of a layer of a decoder.
struct EncoderTensors {
  ref::model::EncoderConfig config;           ///< a whole encoder must have dropout 0
  ref::tensor::NamedTensors<double> tensors;  ///< parameters; x, memory, grad_y, or class_weights
  ref::tensor::NamedTensors<double> state;    ///< the running state of the norms
  ref::tensor::Mask valid = {};               ///< [B,T], true = a real token; empty: all are
  /// [B,S], the mask of the memory in a layer of a decoder; empty: all.
  ref::tensor::Mask memory_valid = {};
  /// Dropout masks of a layer, named and shaped as by mask_shapes.
  std::map<std::string, ref::tensor::Mask> masks = {};
  ref::model::Tokens tokens = {};  ///< input of a whole encoder
  std::vector<int> labels = {};    ///< class labels [B] of a whole encoder
  ref::model::Mode mode = ref::model::Mode::training;
};

/// The inputs of a whole Transformer or of decoding. T is the length of `tokens`.
struct TransformerTensors {
  /// Its dropout must be 0. A language model and decoding use the decoder's side alone.
  ref::model::DecoderConfig config;
  ref::model::LossOptions loss;
  ref::tensor::NamedTensors<double> tensors;  ///< parameters; memory, and past keys and values
  ref::tensor::NamedTensors<double> state;    ///< the running state of the norms
  ref::model::Tokens source = {};             ///< source tokens of a translator, [B,S]
  /// [B,S], the mask of the source or of the memory; empty: all.
  ref::tensor::Mask source_valid = {};
  ref::model::Tokens tokens = {};  ///< [B,T]
  ref::tensor::Mask valid = {};    ///< [B,T], true = a real token; empty: all are
  std::vector<int> targets = {};   ///< [B T]; those at padding do not count
  ref::model::Mode mode = ref::model::Mode::training;
};

/// The inputs of one or more steps of an optimizer.
struct OptimizerTensors {
  ref::tensor::Tensor<double> parameter;
  /// One per step, each with the parameter's shape.
  std::vector<ref::tensor::Tensor<double>> gradients;
  /// The tensors of checks::evaluation::moment_names, with the parameter's shape, and iterations
  /// [1].
  ref::tensor::NamedTensors<double> state;
};

/// Everything `normproof eval` reads from a file: the inputs of every step, and the state before
/// the first step. Only the member for the kind of operation is filled.
struct EvalInputs {
  std::vector<ref::model::NormInputs<double>> steps;
  ref::tensor::NamedTensors<double> state;
  FunctionInputs function = {};         ///< for a function, which has no steps
  EncoderTensors encoder = {};          ///< for an encoder or a layer of one, which have no steps
  OptimizerTensors optimizer = {};      ///< for an optimizer, with one gradient per step
  TransformerTensors transformer = {};  ///< for a whole Transformer or for decoding
};

/// Returns the tensors that a function requires. The first gives a case its shape. They are "x",
/// then "gate" or "residual" if the function takes one; "q", "k" and "v" for attention; "logits"
/// and "targets" for cross_entropy; "x", "cos" and "sin" for rope.
std::vector<std::string> required_operands(std::string_view function);

/// Whether the function takes a mask `valid`: of elements for softmax and log_sum_exp, of keys for
/// attention, of rows for cross_entropy.
bool takes_mask(std::string_view function);

/// Whether the function multiplies the activation of x by a separate operand `gate`, as swiglu and
/// geglu do.
bool takes_gate(std::string_view function);

/// Whether the function adds `residual`, of the shape of x, to x before the norm, as add_layer_norm
/// and add_rms_norm do. The sum is an output, and `grad_sum` is the gradient that arrives at it.
/// `gamma` and `beta` [D] are optional.
bool adds_residual(std::string_view function);

}  // namespace normproof::verification::operands
