#include "verification/cli/tools/apply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/nan_sign.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/tools/repeated_settings.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::tools {

namespace io = ref::io;
namespace model = ref::model;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using ref::tensor::Shape;
using ref::tensor::Tensor;

namespace {

/// The doubles that are written for one tensor of the result. With interval arithmetic, `lower` and
/// `upper` are the ends of the enclosures.
struct ResultTensor {
  std::string name;
  Shape shape;
  std::vector<double> values, lower = {}, upper = {};
};

ResultTensor make_result_tensor(std::string name, const Tensor<double>& tensor) {
  return {std::move(name), ref::tensor::shape_of(tensor), {tensor.begin(), tensor.end()}};
}

ResultTensor make_result_tensor(std::string name, const Tensor<ref::numeric::oracle50>& tensor) {
  ResultTensor result{std::move(name), ref::tensor::shape_of(tensor), {}};
  for (const auto& value : tensor) result.values.push_back(ref::numeric::to_double(value));
  return result;
}

ResultTensor make_result_tensor(std::string name, const Tensor<ref::numeric::interval>& tensor) {
  ResultTensor result{std::move(name), ref::tensor::shape_of(tensor), {}};
  for (const auto& value : tensor) {
    const auto enclosure = ref::numeric::enclose(value);
    result.values.push_back(ref::numeric::to_double(value));
    result.lower.push_back(enclosure.lower);
    result.upper.push_back(enclosure.upper);
  }
  return result;
}

std::vector<io::StoredTensor> stored(const std::vector<ResultTensor>& columns) {
  std::vector<io::StoredTensor> tensors;
  for (const ResultTensor& c : columns) {
    const auto add = [&](const char* suffix, const std::vector<double>& values) {
      tensors.push_back(io::make_tensor(c.name + suffix, c.shape, std::span<const double>(values)));
    };
    add("", c.values);
    if (c.lower.empty()) continue;
    add("_lo", c.lower);
    add("_hi", c.upper);
  }
  return tensors;
}

/// Returns the first element that is not finite, as text: "y at [0, 1] is inf".
std::optional<std::string> find_overflow(const std::vector<ResultTensor>& columns) {
  for (const ResultTensor& c : columns) {
    const auto found = std::find_if_not(c.values.begin(), c.values.end(),
                                        [](double value) { return std::isfinite(value); });
    if (found == c.values.end()) continue;
    const auto i = static_cast<std::size_t>(found - c.values.begin());
    return fmt::format("{} at {} is {}", c.name, ref::tensor::index_to_string(i, c.shape),
                       ref::numeric::remove_nan_signs(*found));
  }
  return std::nullopt;
}

/// Returns a text that lists each layer and its options with their defaults.
std::string layer_options_text() {
  constexpr std::size_t kWidth = 98, kIndent = 22;
  std::string text;
  for (const std::string& name : model::norm_names()) {
    const auto options = model::list_all_options(model::norm_options(name));
    std::string line = fmt::format("  {:<20}{}", name, options.empty() ? " (none)" : "");
    std::size_t used = line.size();
    for (const auto& [field, value] : options) {
      const std::string setting = fmt::format(" {}={}", field, value);
      if (used + setting.size() > kWidth) {
        line += "\n" + std::string(kIndent, ' ');
        used = kIndent;
      }
      line += setting;
      used += setting.size();
    }
    text += line + "\n";
  }
  return text;
}

/// Whether the rejected value is an option of the layer. If so, the error is in the command line
/// rather than in the file.
bool is_option_error(const ref::numeric::ContractViolation& violation,
                     const model::NormOptions& options) {
  const auto fields = model::list_all_options(options);
  return std::ranges::any_of(fields, [&](const auto& o) { return o.first == violation.argument; });
}

[[noreturn]] void throw_explained_error(const checks::evaluation::StepError& error,
                                        const ApplyCommand& command,
                                        const model::NormOptions& options, std::size_t steps) {
  const std::string refusal = sentence(error.violation());
  if (is_option_error(error.violation(), options)) throw UsageError(refusal);
  const std::string where =
      command.sequence ? fmt::format(", step {} of {}", error.step() + 1, steps) : std::string();
  throw FileError(fmt::format("{}{}: {}", command.in.string(), where, refusal));
}

template <class T>
std::optional<std::string> run(const ApplyCommand& command, const model::NormOptions& options,
                               const checks::evaluation::EvalInputs& inputs) {
  std::vector<ResultTensor> columns;
  try {
    for (const auto& [name, values] :
         checks::evaluation::run_sequence<T>(options, inputs, command.sequence))
      columns.push_back(make_result_tensor(name, values));
  } catch (const checks::evaluation::StepError& error) {
    throw_explained_error(error, command, options, inputs.steps.size());
  }
  io::write_tensors(command.out, stored(columns));
  const std::optional<std::string> found = find_overflow(columns);
  if (!found) return std::nullopt;
  return fmt::format(
      "{}: {}, though every input is finite; expected numbers that a double can hold",
      command.out.string(), *found);
}

}  // namespace

void ApplyCommand::add(CLI::App& app) {
  require(
      add_text_option(app, "LAYER", layer, "The layer; names and options are listed below", ""));
  require(add_file_option(app, "--in", in, "The input tensors: .npz or .safetensors"));
  require(
      add_file_option(app, "--out", out, "The file for the output tensors: .npz or .safetensors"));
  add_choice_option(
      app, "--scalar", scalar,
      {{"double", ApplyArithmetic::float64},
       {"oracle50", ApplyArithmetic::oracle50},
       {"interval", ApplyArithmetic::interval}},
      "double: the reference (default); oracle50: 50 digits, rounded once at the end; "
      "interval: an enclosure, as <name>_lo and <name>_hi beside <name>");
  add_settings(app, "--set", settings, "An option of the layer; may be repeated", "NAME=VALUE",
               "eps=1e-5");
  add_flag(app, "--sequence", sequence,
           "x, grad_y and valid have a leading axis of steps; the state is carried from step to "
           "step");
  add_choice_option(
      app, "--mode", mode,
      {{"training", model::Mode::training}, {"inference", model::Mode::inference}},
      "training (default): use the statistics of the batch, and update the running ones; "
      "inference: use the running statistics");
  check_after_parsing(app, [this] { check_no_repeats(settings); });
  set_footer(
      app,
      R"(Input tensors: x [N,D] or [B,T,D]. Optional: the parameters that the layer has (gamma, beta, alpha),
grad_y (the shape of x; with it the backward runs), valid [N] or [B,T] (true = a real token), and
the state of the layer. Any other tensor is an error.
Output tensors: y, the statistics, grad_x, the gradient of each parameter, and the state after the
step, in float64. `normproof operations` prints their names and shapes.

Layers and their options with defaults, for --set:
)" + layer_options_text() +
          R"(
Examples:
  normproof apply layer_norm --in x.npz --out y.npz
  normproof apply batch_norm --in x.npz --out y.npz --set eps=1e-3 running_decay=0.99
  normproof apply power_norm --in steps.safetensors --out out.npz --sequence
  normproof apply rms_norm --in x.npz --out y.npz --scalar interval)");
}

Output ApplyCommand::run() const {
  if (const std::optional<std::string> overflown = apply_to_file(*this))
    throw std::runtime_error(*overflown);
  return printed("");
}

std::optional<std::string> apply_to_file(const ApplyCommand& command) {
  model::NormOptions options = model::norm_options(command.layer);
  for (const auto& [field, value] : command.settings) model::set_option(options, field, value);
  check_outputs({{"--in", command.in}}, {{"--out", command.out}});
  const auto tensors = io::read_tensors(command.in);
  const checks::evaluation::EvalInputs inputs = checks::evaluation::eval_inputs(
      command.in.string(), tensors, options, command.mode, command.sequence);
  switch (command.scalar) {
    case ApplyArithmetic::float64:
      return run<double>(command, options, inputs);
    case ApplyArithmetic::oracle50:
      return run<ref::numeric::oracle50>(command, options, inputs);
    case ApplyArithmetic::interval:
      return run<ref::numeric::interval>(command, options, inputs);
  }
  return std::nullopt;
}

}  // namespace normproof::verification::cli::tools
