#include "verification/cli/eval.hpp"

#include <fmt/format.h>

#include <span>

#include "ref/io/tensor_file.hpp"
#include "ref/norm/norm.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/eval_inputs.hpp"

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
std::vector<io::StoredTensor> run(const EvalCommand& command, const model::NormOptions& options,
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
  return columns.stored(command.sequence);
}

void check_files(const EvalCommand& command) {
  std::error_code absent;
  if (command.in == command.out || std::filesystem::equivalent(command.in, command.out, absent)) {
    throw UsageError(
        fmt::format("--in and --out name the same file '{}'; expected two, so that "
                    "the input is kept",
                    command.in.string()));
  }
}

}  // namespace

void eval(const EvalCommand& command) {
  model::NormOptions options = model::norm_options(command.layer);
  for (const auto& [field, value] : command.settings) model::set_option(options, field, value);
  check_files(command);
  const auto tensors = io::read_tensors(command.in);
  const EvalInputs inputs =
      eval_inputs(command.in.string(), tensors, options, command.mode, command.sequence);
  switch (command.scalar) {
    case EvalScalar::float64:
      return io::write_tensors(command.out, run<double>(command, options, inputs));
    case EvalScalar::oracle50:
      return io::write_tensors(command.out, run<ref::numeric::oracle50>(command, options, inputs));
    case EvalScalar::interval:
      return io::write_tensors(command.out, run<ref::numeric::interval>(command, options, inputs));
  }
}

}  // namespace normproof::verification::cli
