#include "verification/cli/tools/lipschitz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "ref/io/tensor_file.hpp"
#include "ref/model/operation_names.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/tools/repeated_settings.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/json_number.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::tools {

namespace io = ref::io;
namespace model = ref::model;
using checks::lipschitz::Enclosure;
using checks::lipschitz::Lipschitz;
using checks::lipschitz::Norms;
using checks::lipschitz::PartKind;
using nlohmann::ordered_json;
using ref::numeric::FileError;
using ref::numeric::UsageError;

namespace {

constexpr std::size_t kMaxPartsShown = 10;

double parse_radius(const std::string& text) {
  double radius = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, radius);
  if (error != std::errc{} || stop != end || !(radius >= 0 && radius <= 1e300))
    throw UsageError(
        fmt::format("--radius is '{}'; expected a number from 0 to 1e300, such as 0.5", text));
  return radius;
}

/// Checks that the text names a layer whose Jacobian can be enclosed, and returns the name.
std::string parse_layer(const std::string& text) {
  const std::vector<std::string>& known = checks::lipschitz::layer_names();
  std::string name = model::find_operation_name(text).value_or(text);
  if (std::ranges::find(known, name) != known.end()) return name;
  const std::vector<std::string> layers = model::norm_names();
  if (std::ranges::find(layers, name) != layers.end())
    throw UsageError(
        fmt::format("LAYER is {}, whose Jacobian is not enclosed here; expected one of {}", name,
                    fmt::join(known, ", ")));
  throw UsageError(ref::numeric::unknown_name("layer", text, known));
}

const char* kind_name(const Lipschitz& result) {
  return result.kind == PartKind::row ? "row" : "channel";
}

/// Returns the relative width of an enclosure as text: upper minus lower end, divided by the upper
/// end. Returns "-" if the upper end is infinite.
std::string relative_width_text(const Enclosure& norm) {
  if (!std::isfinite(norm.upper)) return "-";
  return support::report::number_text(norm.upper > 0 ? (norm.upper - norm.lower) / norm.upper : 0);
}

support::report::Row enclosure_row(const std::string& where, const Enclosure& norm) {
  return {{{where},
           {fmt::format("{:.6g}", norm.upper)},
           {fmt::format("{:.6g}", norm.lower)},
           {relative_width_text(norm)},
           {fmt::format("{:.6g}", norm.theory)}}};
}

support::report::Table enclosure_table(const Lipschitz& result, const std::string& first) {
  return {"",
          {{first},
           support::report::number_column("at most"),
           support::report::number_column("attained"),
           support::report::number_column("gap"),
           support::report::number_column(result.theory)}};
}

/// Returns the indices of the parts of the input for which the upper bound of the norm is largest,
/// in descending order of the upper bound. Returns at most kMaxPartsShown indices.
std::vector<std::size_t> find_parts_with_largest_norms(const Norms& norms) {
  std::vector<std::size_t> order(norms.norms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t p) { return norms.norms[p].upper; });
  order.resize(std::min(order.size(), kMaxPartsShown));
  return order;
}

std::string within(double radius) {
  return fmt::format("within {} of x", radius);
}

ordered_json enclosure_json(const Enclosure& norm) {
  return {{"lower", support::report::json_number(norm.lower)},
          {"upper", support::report::json_number(norm.upper)},
          {"theory", support::report::json_number(norm.theory)}};
}

void append_tensors(std::vector<io::StoredTensor>& tensors, const Lipschitz& result,
                    const Norms& norms, const std::string& suffix) {
  const auto parts_json = [&](const char* name, double Enclosure::*field) {
    std::vector<double> values;
    for (const Enclosure& norm : norms.norms) values.push_back(norm.*field);
    tensors.push_back(
        io::make_tensor(name + suffix, {values.size()}, std::span<const double>(values)));
  };
  parts_json("lower", &Enclosure::lower);
  parts_json("upper", &Enclosure::upper);
  parts_json("theory", &Enclosure::theory);
  const auto like_x = [&](const char* name, const ref::tensor::Tensor<double>& values) {
    tensors.push_back(io::make_tensor(name + suffix, ref::tensor::shape_of(values),
                                      std::span<const double>(values.data(), values.size())));
  };
  like_x("x", norms.x);
  like_x("grad_y", norms.grad_y);
  if (!suffix.empty()) return;
  std::vector<std::int64_t> parts(result.parts.begin(), result.parts.end());
  tensors.push_back(
      io::make_tensor(kind_name(result), {parts.size()}, std::span<const std::int64_t>(parts)));
}

/// Whether a state tensor scales the output of a norm. A running mean does not: it shifts the
/// output but does not change the Jacobian.
bool is_statistic(std::string_view name) {
  return name.starts_with("running_") && name != "running_mean";
}

/// Returns a sentence about an assumed value: "running_variance is not in x.npz: it is 1, as of a
/// new layer."
std::string assumption_text(const LipschitzCommand& command, const std::string& name,
                            double value) {
  return fmt::format("{} is not in {}: it is {}, as in a new layer.", name,
                     support::report::clean_line(command.in.string()), value);
}

/// Encloses the norms of the Jacobian for the tensors of a file. Error messages about options name
/// the command line; all others name the file.
Lipschitz certify_file(const LipschitzCommand& command, const model::NormOptions& options,
                       LipschitzCommand::Assumed& assumed) {
  const std::string file = command.in.string();
  const auto tensors = io::read_tensors(command.in);
  const checks::evaluation::EvalInputs inputs =
      checks::evaluation::eval_inputs(file, tensors, options, command.mode, false, false);
  assumed.stateless = inputs.state.empty();
  try {
    Lipschitz result =
        checks::lipschitz::certify(options, inputs.steps.front(), inputs.state, command.radius);
    if (result.theory.find("running") != std::string::npos)
      for (const auto& [name, values] : inputs.state)
        if (is_statistic(name) &&
            std::ranges::find(tensors, name, &io::StoredTensor::name) == tensors.end())
          assumed.statistics.set(name, values);
    return result;
  } catch (const ref::numeric::ContractError& error) {
    const auto fields = model::list_options(options);
    const std::string& blamed = error.violation().argument;
    if (std::ranges::any_of(fields, [&](const auto& field) { return field.first == blamed; }))
      throw UsageError(sentence(error.violation()));
    throw FileError(fmt::format("{}: {}", file, sentence(error.violation())));
  }
}

}  // namespace

void LipschitzCommand::add(CLI::App& app) {
  require(add_value_option(
      app, "LAYER", layer, parse_layer, [](const std::string& value) { return value; },
      "The layer: batch_norm, layer_norm, rms_norm, power_norm_v, power_norm or dyt",
      fmt::format("{{{}}}", fmt::join(checks::lipschitz::layer_names(), ","))));
  require(add_file_option(app, "--in", in, "The input tensors: .npz or .safetensors"));
  add_value_option(
      app, "--radius", radius, parse_radius, [](double value) { return fmt::format("{}", value); },
      "Also bound the norm at every x' with ||x' - x|| <= R: the Lipschitz constant there "
      "(default: 0, none)",
      "R");
  add_settings(app, "--set", settings, "An option of the layer; may be repeated", "NAME=VALUE",
               "eps=1e-5");
  add_choice_option(app, "--mode", mode,
                    {{"training", model::Mode::training}, {"inference", model::Mode::inference}},
                    "training (default): statistics of the batch, for power_norm the running ones; "
                    "inference: running statistics");
  add_file_option(
      app, "--out", out,
      "A file for the inputs and gradients that attain each norm: .npz or .safetensors; see below");
  reports.add_with_json_flag(app);
  check_after_parsing(app, [this] { check_no_repeats(settings); });
  set_footer(
      app,
      R"(The Jacobian dy/dx consists of one part per channel (batch_norm, power_norm_v, power_norm, dyt) or
per row (layer_norm, rms_norm); rows of padding are left out. The norm of a part is at most `upper`,
by its formula, and at least `lower`: the layer's own backward lengthens some gradient by that
factor. Both are proved in ball arithmetic (docs/derivations/lipschitz.md). The last column is the
bound from theory.

The input tensors are those of one step of `normproof apply`; grad_y is ignored. Running statistics
that are needed and missing in the file are those of a new layer, and the output says so. --out has
lower, upper, theory and channel or row (the index); in the shape of x it has grad_y, the gradient
of each part, and x, the input that the gradient belongs to; with --radius the same once more as
upper_around, ... , x_around.

Exit status 1 if the two derivations contradict each other.

Examples:
  normproof lipschitz layer_norm --in x.npz
  normproof lipschitz power_norm_v --in x.npz --radius 0.5 --out steepest.npz
  normproof lipschitz batch_norm --in x.npz --set eps=1e-3 --json)");
}

support::report::Document lipschitz_document(const LipschitzCommand& command,
                                             const Lipschitz& result,
                                             const LipschitzCommand::Assumed& assumed) {
  support::report::Document document{"normproof: Lipschitz constants"};
  document.add(support::report::Paragraph{fmt::format(
      "{}, {}: the operator norm of dy/dx, one part a {} of {}", command.in.string(), command.layer,
      kind_name(result), support::report::plural(result.parts.size(), kind_name(result)))});
  for (const auto& [name, values] : assumed.statistics)
    document.add(support::report::Paragraph{assumption_text(command, name, *values.data())});
  if (assumed.stateless && command.mode == model::Mode::inference)
    document.add(support::report::Paragraph{
        fmt::format("{} has no running statistics: inference equals training.", command.layer)});
  const bool around = !result.around.norms.empty();
  support::report::Table whole = enclosure_table(result, "all parts");
  whole.rows.push_back(enclosure_row("at x", checks::lipschitz::largest(result.at.norms)));
  if (around)
    whole.rows.push_back(
        enclosure_row(within(command.radius), checks::lipschitz::largest(result.around.norms)));
  document.add(std::move(whole));
  const auto add_parts = [&](const Norms& norms, const std::string& where) {
    support::report::Table table =
        enclosure_table(result, fmt::format("{}, {}", kind_name(result), where));
    for (const std::size_t p : find_parts_with_largest_norms(norms))
      table.rows.push_back(enclosure_row(fmt::format("{}", result.parts[p]), norms.norms[p]));
    document.add(std::move(table));
  };
  add_parts(result.at, "at x");
  if (around) add_parts(result.around, within(command.radius));
  if (around && !std::isfinite(checks::lipschitz::largest(result.around.norms).upper))
    document.add(support::report::Paragraph{fmt::format(
        "inf: no bound is known {}{}.", within(command.radius),
        assumed.unregularized ? ": with eps=0 the norm grows without end where the statistic is 0"
                              : "")});
  return document;
}

std::string lipschitz_json(const LipschitzCommand& command, const Lipschitz& result,
                           const LipschitzCommand::Assumed& assumed) {
  const bool around = !result.around.norms.empty();
  ordered_json json = {{"layer", command.layer},
                       {"file", support::report::clean_line(command.in.string())},
                       {"part", kind_name(result)},
                       {"theory", result.theory},
                       {"at", enclosure_json(checks::lipschitz::largest(result.at.norms))}};
  json["radius"] = command.radius;
  json["assumed"] = ordered_json::object();
  for (const auto& [name, values] : assumed.statistics) json["assumed"][name] = *values.data();
  json["around"] =
      around ? enclosure_json(checks::lipschitz::largest(result.around.norms)) : ordered_json();
  json["parts"] = ordered_json::array();
  for (std::size_t p = 0; p < result.parts.size(); ++p) {
    ordered_json part = {{"index", result.parts[p]}, {"at", enclosure_json(result.at.norms[p])}};
    if (around) part["around"] = enclosure_json(result.around.norms[p]);
    json["parts"].push_back(std::move(part));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<NamedFile> LipschitzCommand::inputs() const {
  return {{"--in", in}, {"--out", out}};
}

Output LipschitzCommand::run() const {
  model::NormOptions options = model::norm_options(layer);
  for (const auto& [field, value] : settings) model::set_option(options, field, value);
  if (out) check_outputs({{"--in", in}}, {{"--out", *out}});
  Assumed assumed;
  const auto fields = model::list_options(options);
  assumed.unregularized = std::ranges::any_of(
      fields, [](const auto& f) { return f.first == "eps" && f.second == "0"; });
  const Lipschitz result = certify_file(*this, options, assumed);
  if (out) {
    std::vector<io::StoredTensor> tensors;
    append_tensors(tensors, result, result.at, "");
    if (!result.around.norms.empty()) append_tensors(tensors, result, result.around, "_around");
    io::write_tensors(*out, tensors);
  }
  return {.document = lipschitz_document(*this, result, assumed),
          .json = lipschitz_json(*this, result, assumed)};
}

}  // namespace normproof::verification::cli::tools
