#include "verification/cli/eval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ref/io/tensor_file.hpp"
#include "ref/norm/norm.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/cli/eval_inputs.hpp"
#include "verification/cli/output_files.hpp"

namespace normproof::verification::cli {

namespace io = ref::io;
namespace model = ref::model;
using ref::norm::NormInputs;
using ref::norm::NormStep;
using ref::numeric::ContractError;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using ref::tensor::NamedTensors;
using ref::tensor::Shape;
using ref::tensor::Tensor;

namespace {

/// The doubles that stand for one tensor in the output file, by the suffix of their name.
struct Column {
  std::string name;
  Shape shape;  ///< of one step
  std::vector<double> values, lower, upper;
};

void append(Column& column, const Tensor<double>& tensor) {
  column.values.insert(column.values.end(), tensor.begin(), tensor.end());
}

void append(Column& column, const Tensor<ref::numeric::oracle50>& tensor) {
  for (const auto& value : tensor) column.values.push_back(ref::numeric::to_double(value));
}

void append(Column& column, const Tensor<ref::numeric::interval>& tensor) {
  for (const auto& value : tensor) {
    const auto enclosure = ref::numeric::enclose(value);
    column.values.push_back(ref::numeric::to_double(value));
    column.lower.push_back(enclosure.lower);
    column.upper.push_back(enclosure.upper);
  }
}

/// Outputs and state of every step, in the order in which the layer leaves them.
class Columns {
 public:
  template <class T>
  void append_step(const NormStep<T>& step) {
    append_all(step.outputs);
    append_all(step.state);
    ++steps_;
  }

  std::vector<io::StoredTensor> stored(bool sequence) const {
    std::vector<io::StoredTensor> tensors;
    for (const Column& column : columns_) {
      Shape shape = column.shape;
      if (sequence) shape.insert(shape.begin(), steps_);
      const auto put = [&](const char* suffix, const std::vector<double>& values) {
        tensors.push_back(
            io::make_tensor(column.name + suffix, shape, std::span<const double>(values)));
      };
      put("", column.values);
      if (column.lower.empty()) continue;
      put("_lo", column.lower);
      put("_hi", column.upper);
    }
    return tensors;
  }

  /// "y at [0, 1] is inf": the first element that is not finite.
  std::optional<std::string> overflow(bool sequence) const {
    for (const Column& column : columns_) {
      const auto found = std::find_if_not(column.values.begin(), column.values.end(),
                                          [](double value) { return std::isfinite(value); });
      if (found == column.values.end()) continue;
      Shape shape = column.shape;
      if (sequence) shape.insert(shape.begin(), steps_);
      const auto i = static_cast<std::size_t>(found - column.values.begin());
      const std::string value = std::isnan(*found) ? "nan" : *found > 0 ? "inf" : "-inf";
      return fmt::format("{} at {} is {}", column.name, ref::tensor::index_to_string(i, shape),
                         value);
    }
    return std::nullopt;
  }

 private:
  template <class T>
  void append_all(const NamedTensors<T>& tensors) {
    for (const auto& [name, values] : tensors)
      append(column(name, ref::tensor::shape_of(values)), values);
  }

  Column& column(const std::string& name, const Shape& shape) {
    for (Column& known : columns_)
      if (known.name == name) return known;
    columns_.push_back({name, shape, {}, {}, {}});
    return columns_.back();
  }

  std::vector<Column> columns_;
  std::size_t steps_ = 0;
};

template <class T>
NormInputs<T> convert(const NormInputs<double>& inputs) {
  const auto optional = [](const Tensor<double>& tensor) {
    return tensor.dimension() == 0 ? Tensor<T>() : ref::tensor::convert<T>(tensor);
  };
  return {ref::tensor::convert<T>(inputs.x), optional(inputs.gamma), optional(inputs.beta),
          optional(inputs.grad_y),           inputs.valid,           inputs.mode};
}

/// True where the sentence of contract_failure, "<function>: <argument> ...", is about an option of
/// the layer: then the command line is at fault and not the file.
bool blames_option(std::string_view message, const model::NormOptions& options) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string_view::npos) return false;
  const std::string_view argument = message.substr(colon + 2);
  for (const auto& [field, value] : model::list_options(options))
    if (argument.starts_with(field + " ")) return true;
  return false;
}

[[noreturn]] void explain(const ContractError& error, const EvalCommand& command,
                          const model::NormOptions& options, std::size_t step, std::size_t steps) {
  if (blames_option(error.what(), options)) throw UsageError(error.what());
  const std::string where =
      command.sequence ? fmt::format(", step {} of {}", step + 1, steps) : std::string();
  throw FileError(fmt::format("{}{}: {}", command.in.string(), where, error.what()));
}

template <class T>
std::optional<std::string> run(const EvalCommand& command, const model::NormOptions& options,
                               const EvalInputs& inputs) {
  NamedTensors<T> state;
  for (const auto& [name, values] : inputs.state) state.set(name, ref::tensor::convert<T>(values));
  Columns columns;
  for (std::size_t s = 0; s < inputs.steps.size(); ++s) {
    try {
      NormStep<T> step = ref::norm::norm_step<T>(options, convert<T>(inputs.steps[s]), state);
      columns.append_step(step);
      state = std::move(step.state);
    } catch (const ContractError& error) {
      explain(error, command, options, s, inputs.steps.size());
    }
  }
  io::write_tensors(command.out, columns.stored(command.sequence));
  const std::optional<std::string> overflow = columns.overflow(command.sequence);
  if (!overflow) return std::nullopt;
  return fmt::format(
      "{}: {}, though every input is finite; expected numbers that a double can hold",
      command.out.string(), *overflow);
}

}  // namespace

std::optional<std::string> eval(const EvalCommand& command) {
  model::NormOptions options = model::norm_options(command.layer);
  for (const auto& [field, value] : command.settings) model::set_option(options, field, value);
  check_outputs({{"--in", command.in}}, {{"--out", command.out}});
  const auto tensors = io::read_tensors(command.in);
  const EvalInputs inputs =
      eval_inputs(command.in.string(), tensors, options, command.mode, command.sequence);
  switch (command.scalar) {
    case EvalScalar::float64:
      return run<double>(command, options, inputs);
    case EvalScalar::oracle50:
      return run<ref::numeric::oracle50>(command, options, inputs);
    case EvalScalar::interval:
      return run<ref::numeric::interval>(command, options, inputs);
  }
  return std::nullopt;
}

}  // namespace normproof::verification::cli
