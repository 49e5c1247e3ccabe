#include "verification/cli/eval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/nan_sign.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/evaluation/sequence.hpp"

namespace normproof::verification::cli {

namespace io = ref::io;
namespace model = ref::model;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using ref::tensor::Shape;
using ref::tensor::Tensor;

namespace {

/// The doubles that stand for one tensor in the output file, by the suffix of their name.
struct Column {
  std::string name;
  Shape shape;
  std::vector<double> values, lower = {}, upper = {};
};

Column column(std::string name, const Tensor<double>& tensor) {
  return {std::move(name), ref::tensor::shape_of(tensor), {tensor.begin(), tensor.end()}};
}

Column column(std::string name, const Tensor<ref::numeric::oracle50>& tensor) {
  Column result{std::move(name), ref::tensor::shape_of(tensor), {}};
  for (const auto& value : tensor) result.values.push_back(ref::numeric::to_double(value));
  return result;
}

Column column(std::string name, const Tensor<ref::numeric::interval>& tensor) {
  Column result{std::move(name), ref::tensor::shape_of(tensor), {}};
  for (const auto& value : tensor) {
    const auto enclosure = ref::numeric::enclose(value);
    result.values.push_back(ref::numeric::to_double(value));
    result.lower.push_back(enclosure.lower);
    result.upper.push_back(enclosure.upper);
  }
  return result;
}

std::vector<io::StoredTensor> stored(const std::vector<Column>& columns) {
  std::vector<io::StoredTensor> tensors;
  for (const Column& c : columns) {
    const auto put = [&](const char* suffix, const std::vector<double>& values) {
      tensors.push_back(io::make_tensor(c.name + suffix, c.shape, std::span<const double>(values)));
    };
    put("", c.values);
    if (c.lower.empty()) continue;
    put("_lo", c.lower);
    put("_hi", c.upper);
  }
  return tensors;
}

/// "y at [0, 1] is inf": the first element that is not finite.
std::optional<std::string> overflow(const std::vector<Column>& columns) {
  for (const Column& c : columns) {
    const auto found = std::find_if_not(c.values.begin(), c.values.end(),
                                        [](double value) { return std::isfinite(value); });
    if (found == c.values.end()) continue;
    const auto i = static_cast<std::size_t>(found - c.values.begin());
    return fmt::format("{} at {} is {}", c.name, ref::tensor::index_to_string(i, c.shape),
                       ref::numeric::without_nan_sign(*found));
  }
  return std::nullopt;
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

[[noreturn]] void explain(const evaluation::StepError& error, const EvalCommand& command,
                          const model::NormOptions& options, std::size_t steps) {
  if (blames_option(error.what(), options)) throw UsageError(error.what());
  const std::string where =
      command.sequence ? fmt::format(", step {} of {}", error.step() + 1, steps) : std::string();
  throw FileError(fmt::format("{}{}: {}", command.in.string(), where, error.what()));
}

template <class T>
std::optional<std::string> run(const EvalCommand& command, const model::NormOptions& options,
                               const evaluation::EvalInputs& inputs) {
  std::vector<Column> columns;
  try {
    for (const auto& [name, values] :
         evaluation::run_sequence<T>(options, inputs, command.sequence))
      columns.push_back(column(name, values));
  } catch (const evaluation::StepError& error) {
    explain(error, command, options, inputs.steps.size());
  }
  io::write_tensors(command.out, stored(columns));
  const std::optional<std::string> found = overflow(columns);
  if (!found) return std::nullopt;
  return fmt::format(
      "{}: {}, though every input is finite; expected numbers that a double can hold",
      command.out.string(), *found);
}

}  // namespace

std::optional<std::string> eval(const EvalCommand& command) {
  model::NormOptions options = model::norm_options(command.layer);
  for (const auto& [field, value] : command.settings) model::set_option(options, field, value);
  check_outputs({{"--in", command.in}}, {{"--out", command.out}});
  const auto tensors = io::read_tensors(command.in);
  const evaluation::EvalInputs inputs = evaluation::eval_inputs(
      command.in.string(), tensors, options, command.mode, command.sequence);
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
