#include "verification/checks/evaluation/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/evaluation/function_inputs.hpp"
#include "verification/checks/evaluation/transformer_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::io::StoredTensor;
using ref::norm::NormInputs;
using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Shape;
using ref::tensor::Tensor;

namespace {

using ref::model::Layout;

/// The shape of x in one step, and the number of steps in the file.
struct StepShape {
  std::size_t steps = 1;
  Shape x;
  Layout layout = Layout::rows;

  Shape row_shape() const { return ref::model::shape_in_rows(layout, x); }
  /// Returns the shape of a mask: [N], [B,T] or [B,H,W], the shape of x without features.
  Shape rows() const {
    if (layout == Layout::channels_first) return {x[0], x[2], x[3]};
    return {x.begin(), x.end() - 1};
  }
};

/// Returns a text with the shapes that x may have. If `sequence` is true, x has an axis of steps.
const char* describe_step_shapes(Layout layout, bool sequence) {
  switch (layout) {
    case Layout::channels_first:
      return sequence ? "[S,B,D,H,W], S steps (--sequence)" : "[B,D,H,W]";
    case Layout::channels_last:
      return sequence ? "[S,B,H,W,D], S steps (--sequence)" : "[B,H,W,D]";
    case Layout::rows:
      break;
  }
  return sequence ? "[S,N,D] or [S,B,T,D], S steps (--sequence)" : "[N,D] or [B,T,D]";
}

std::string describe_shapes_of_x(Layout layout, bool sequence, bool offers_sequence) {
  return std::string(describe_step_shapes(layout, sequence)) +
         (offers_sequence && !sequence ? "; an axis of steps needs --sequence" : "");
}

StepShape step_shape(const TensorReader& reader, const StoredTensor& x, Layout layout,
                     bool sequence, bool offers_sequence) {
  const std::size_t rank = x.shape.size() - (sequence && !x.shape.empty() ? 1 : 0);
  const bool fits = layout == Layout::rows ? rank == 2 || rank == 3 : rank == 4;
  if (!fits)
    reader.fail("x", "has shape " + ref::tensor::to_string(x.shape),
                describe_shapes_of_x(layout, sequence, offers_sequence));
  if (std::ranges::find(x.shape, std::size_t{0}) != x.shape.end()) {
    reader.fail("x", "has shape " + ref::tensor::to_string(x.shape), "every extent at least 1");
  }
  if (!sequence) return {1, x.shape, layout};
  return {x.shape[0], Shape(x.shape.begin() + 1, x.shape.end()), layout};
}

/// Returns the shape that a tensor has in the file if it has the given shape in each step.
Shape add_step_axis(const StepShape& steps, Shape shape, bool sequence) {
  if (sequence) shape.insert(shape.begin(), steps.steps);
  return shape;
}

/// Returns a parameter of the layer; empty if the file does not contain it.
Tensor<double> parameter(const TensorReader& reader, const ref::model::NormLayer& layer,
                         std::string_view name) {
  const StoredTensor* const tensor = reader.find(name);
  if (tensor == nullptr) return {};
  if (tensor->shape.size() != 1 || tensor->shape[0] == 0) {
    const ref::model::NormParameter* const described = layer.parameter(name);
    reader.fail(name, "has shape " + ref::tensor::to_string(tensor->shape),
                fmt::format("shape {}", described ? to_string(described->shape) : "[D]"));
  }
  return select_step_slice(reader.values(*tensor), 0, tensor->shape);
}

/// Reads the tensors of an encoder, or of a layer of an encoder or decoder.
class EncoderReader {
 public:
  EncoderReader(const TensorReader& reader, const ref::model::EncoderOperation& operation,
                ref::model::Mode mode)
      : reader_(reader),
        operation_(operation),
        whole_(std::holds_alternative<ref::model::EncoderOptions>(operation)),
        decoder_(std::holds_alternative<ref::model::DecoderLayerOptions>(operation)) {
    in_.mode = mode;
    in_.config = encoder_config(
        operation, [&](const std::string& name) { return extents_of_matrix(reader, name); });
  }

  EncoderTensors read() {
    known_ = whole_ ? std::vector<std::string>{"tokens", "valid", "labels", "class_weights"}
                    : std::vector<std::string>{"x", "grad_y", "valid"};
    for (const auto& [name, shape] : operation_parameters(operation_, in_.config))
      take(name, shape);
    NamedTensors<double> state = operation_state(operation_, in_.config);
    for (const auto& [name, initial] : state) known_.push_back(name);
    in_.state = read_state(reader_, std::move(state));
    const Shape rows = whole_ ? read_tokens() : read_x();
    in_.valid = read_mask(reader_, "valid", rows);
    std::size_t source_len = 0;
    if (decoder_) {
      source_len = read_memory(rows[0]);
      known_.emplace_back("memory_valid");
      in_.memory_valid = read_mask(reader_, "memory_valid", {rows[0], source_len});
    }
    for (const auto& [place, shape] :
         mask_shapes(operation_, in_.config, rows[0], rows[1], source_len))
      in_.masks.emplace(place, keep(place, shape));
    reader_.check_names(known_);
    return std::move(in_);
  }

 private:
  Mask keep(const std::string& place, const Shape& shape) {
    known_.push_back(fmt::format("{}.keep", place));
    const StoredTensor& tensor =
        reader_.required(known_.back(), fmt::format("shape {}", ref::tensor::to_string(shape)));
    reader_.check_shape(tensor, shape);
    return convert_to_mask(select_step_slice(reader_.mask_values(tensor), 0, shape));
  }

  void take(const std::string& name, const Shape& shape) {
    known_.push_back(name);
    const StoredTensor& tensor = reader_.required(name, "shape " + ref::tensor::to_string(shape));
    reader_.check_shape(tensor, shape);
    in_.tensors.set(name, select_step_slice(reader_.values(tensor), 0, shape));
  }

  /// Reads x. Returns the shape of x without features.
  Shape read_x() {
    const Shape& shape = reader_.required("x", "the tensor x, [B,T,D]").shape;
    const bool fits = shape.size() == 3 && shape[2] == in_.config.d_model &&
                      std::ranges::find(shape, std::size_t{0}) == shape.end();
    if (!fits)
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape),
                   fmt::format("[B,T,{}], every extent at least 1", in_.config.d_model));
    take("x", shape);
    if (reader_.find("grad_y") != nullptr) take("grad_y", shape);
    return {shape[0], shape[1]};
  }

  /// Reads the encoder's output, `memory`. Returns the number of source positions.
  std::size_t read_memory(std::size_t batch_size) {
    const Shape& shape = reader_.required("memory", "the tensor memory, [B,S,D]").shape;
    if (shape.size() != 3 || shape[0] != batch_size || shape[1] == 0 ||
        shape[2] != in_.config.d_model)
      reader_.fail("memory", "has shape " + ref::tensor::to_string(shape),
                   fmt::format("[{},S,{}], S at least 1", batch_size, in_.config.d_model));
    take("memory", shape);
    return shape[1];
  }

  Shape read_tokens() {
    const StoredTensor& tokens = reader_.required("tokens", "the tensor tokens, [B,T]");
    const Shape& shape = tokens.shape;
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
      reader_.fail("tokens", "has shape " + ref::tensor::to_string(shape),
                   "[B,T], every extent at least 1");
    in_.tokens = {shape[0], shape[1], reader_.ids(tokens, in_.config.vocab_size)};
    const StoredTensor& labels = reader_.required("labels", "the tensor labels, [B]");
    reader_.check_shape(labels, {shape[0]});
    in_.labels = reader_.ids(labels, in_.config.num_classes);
    if (reader_.find("class_weights") != nullptr) take("class_weights", {in_.config.num_classes});
    return shape;
  }

  const TensorReader& reader_;
  const ref::model::EncoderOperation& operation_;
  bool whole_, decoder_;
  std::vector<std::string> known_;
  EncoderTensors in_;
};

/// Calls f() and returns its result. If f throws a ContractError because of invalid extents, throws
/// a FileError with its message instead. If the name of the argument in this message begins with
/// "encoder." or "decoder.", removes this prefix, because the operation is a single layer.
template <class F>
EvalInputs remove_side_prefix(std::string_view file, F f) {
  try {
    return f();
  } catch (const ref::numeric::ContractError& error) {
    ref::numeric::ContractViolation violation = error.violation();
    for (const std::string_view side : {"encoder.", "decoder."})
      if (violation.argument.starts_with(side)) violation.argument.erase(0, side.size());
    throw ref::numeric::FileError(fmt::format("{}: {}", file, sentence(violation)));
  }
}

EvalInputs encoder_inputs(const TensorReader& reader, const ref::model::EncoderOperation& operation,
                          ref::model::Mode mode) {
  return remove_side_prefix(reader.file(), [&] {
    EvalInputs inputs;
    inputs.encoder = EncoderReader(reader, operation, mode).read();
    return inputs;
  });
}

/// Reads the inputs of an optimizer. If the file does not contain the moments and the number of
/// steps done, they are 0.
OptimizerTensors optimizer_inputs(const TensorReader& reader,
                                  const ref::model::OptimizerOptions& options, bool sequence) {
  std::vector<std::string> known = {"parameter", "grad_parameter", "iterations"};
  for (const std::string& moment : moment_names(options)) known.push_back(moment);
  reader.check_names(known);
  const StoredTensor& parameter = reader.required("parameter", "the tensor parameter");
  const StoredTensor& gradient = reader.required("grad_parameter", "the tensor grad_parameter");
  const Shape& shape = parameter.shape;
  const bool steps = sequence && !gradient.shape.empty() && gradient.shape[0] > 0;
  const StepShape stack{steps ? gradient.shape[0] : 1, shape};
  reader.check_shape(gradient, add_step_axis(stack, shape, sequence));
  OptimizerTensors inputs;
  inputs.parameter = select_step_slice(reader.values(parameter), 0, shape);
  const std::vector<double> gradients = reader.values(gradient);
  for (std::size_t s = 0; s < stack.steps; ++s)
    inputs.gradients.push_back(select_step_slice(gradients, s, shape));
  NamedTensors<double> state;
  for (const std::string& moment : moment_names(options))
    state.set(moment, ref::tensor::full_tensor<double>(shape, 0));
  state.set("iterations", ref::tensor::full_tensor<double>({1}, 0));
  inputs.state = read_state(reader, std::move(state));
  return inputs;
}

EvalInputs layer_inputs(const TensorReader& reader, const ref::model::NormOptions& options,
                        ref::model::Mode mode, bool sequence, bool offers_sequence) {
  const ref::model::NormLayer& layer = ref::model::norm_layer(options);
  std::vector<std::string> known = {"x", "gamma", "beta", "grad_y", "valid"};
  for (const auto& entry : layer.parameters)
    if (std::ranges::find(known, entry.name) == known.end()) known.emplace_back(entry.name);
  for (const auto& entry : layer.state) known.emplace_back(entry.name);
  reader.check_names(known);
  const StoredTensor& x = reader.required("x", "the tensor x, [N,D] or [B,T,D]");
  const StepShape shape =
      step_shape(reader, x, ref::model::norm_layout(options), sequence, offers_sequence);

  EvalInputs inputs;
  inputs.state =
      read_state(reader, ref::norm::initial_state<double>(options, shape.row_shape().back()));
  const std::vector<double> x_values = reader.values(x);
  NormInputs<double> step{.x = {},
                          .gamma = parameter(reader, layer, "gamma"),
                          .beta = parameter(reader, layer, "beta"),
                          .mode = mode};
  for (const auto& entry : layer.parameters)
    if (ref::norm::find_parameter(step, entry.name) == nullptr)
      ref::norm::set_parameter(step, entry.name, parameter(reader, layer, entry.name));
  inputs.steps.assign(shape.steps, step);
  for (std::size_t s = 0; s < shape.steps; ++s)
    inputs.steps[s].x = select_step_slice(x_values, s, shape.x);
  if (const StoredTensor* const grad_y = reader.find("grad_y")) {
    reader.check_shape(*grad_y, add_step_axis(shape, shape.x, sequence));
    const std::vector<double> values = reader.values(*grad_y);
    for (std::size_t s = 0; s < shape.steps; ++s)
      inputs.steps[s].grad_y = select_step_slice(values, s, shape.x);
  }
  if (const StoredTensor* const valid = reader.find("valid")) {
    reader.check_shape(*valid, add_step_axis(shape, shape.rows(), sequence));
    const std::vector<double> values = reader.mask_values(*valid);
    for (std::size_t s = 0; s < shape.steps; ++s) {
      inputs.steps[s].valid = convert_to_mask(select_step_slice(values, s, shape.rows()));
    }
  }
  return inputs;
}

}  // namespace

EvalInputs operation_inputs(const TensorReader& reader, const ref::model::Operation& operation,
                            ref::model::Mode mode, bool sequence) {
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&operation))
    return layer_inputs(reader, *layer, mode, sequence, true);
  if (const auto* const encoder = std::get_if<ref::model::EncoderOperation>(&operation))
    return encoder_inputs(reader, *encoder, mode);
  EvalInputs inputs;
  if (const auto* const transformer = std::get_if<ref::model::TransformerOperation>(&operation))
    return remove_side_prefix(reader.file(), [&] {
      inputs.transformer = transformer_inputs(reader, *transformer, mode);
      return inputs;
    });
  if (const auto* const steps = std::get_if<ref::model::OptimizerOperation>(&operation))
    inputs.optimizer = optimizer_inputs(reader, steps->optimizer, sequence);
  else
    inputs.function = function_inputs(reader, std::get<ref::model::FunctionOptions>(operation));
  return inputs;
}

EvalInputs operation_inputs(std::string_view file, std::span<const StoredTensor> tensors,
                            const ref::model::Operation& operation, ref::model::Mode mode,
                            bool sequence) {
  return operation_inputs(TensorReader(file, tensors), operation, mode, sequence);
}

EvalInputs eval_inputs(std::string_view file, std::span<const StoredTensor> tensors,
                       const ref::model::NormOptions& options, ref::model::Mode mode, bool sequence,
                       bool offers_sequence) {
  return layer_inputs(TensorReader(file, tensors), options, mode, sequence, offers_sequence);
}

}  // namespace normproof::verification::checks::evaluation
