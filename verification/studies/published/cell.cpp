#include "verification/studies/published/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

namespace model = ref::model;
using ref::numeric::UsageError;

namespace {

constexpr std::string_view kUniformPrefix = "uniform-";
constexpr const char* kShape = "PROTOCOL/LAYERSxWIDTH/NORM/rate-R, then /seed-N and others";

[[noreturn]] void bad_cell(std::string_view name, std::string_view observation,
                           std::string_view expectation) {
  throw UsageError(fmt::format("cell '{}' {}; expected {}", name, observation, expectation));
}

std::vector<std::string_view> split_parts(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class T>
T parse_cell_number(std::string_view cell, std::string_view part, std::string_view text) {
  T value{};
  model::parse_field(fmt::format("{} of cell '{}'", part, cell), text, value);
  return value;
}

/// Returns the text after the prefix, or nothing if `part` does not begin with the prefix.
std::optional<std::string_view> after(std::string_view part, std::string_view prefix) {
  if (!part.starts_with(prefix)) return std::nullopt;
  return part.substr(prefix.size());
}

/// Parses a number >= 0 in the name of a training run. The number must have the form that
/// number_name() gives it.
double parse_named_number(std::string_view cell, std::string_view kind, std::string_view text) {
  const auto number = parse_cell_number<double>(cell, fmt::format("the {}", kind), text);
  if (number < 0) bad_cell(cell, fmt::format("has the {} {}", kind, text), "0 or more");
  if (const std::string name = number_name(number); name != text)
    bad_cell(cell, fmt::format("has the {} {}", kind, text), fmt::format("its one name, {}", name));
  return number;
}

double parse_limit(std::string_view cell, std::string_view initialization) {
  const auto text = after(initialization, kUniformPrefix);
  if (!text)
    bad_cell(cell, fmt::format("has the initialization '{}'", initialization), "uniform-LIMIT");
  return parse_named_number(cell, "limit", *text);
}

/// Parses an optional part of the name of a training run, such as "seed-1", and stores its value in
/// `cell`. Returns the name of the setting that the part specifies, such as "seed", or "" if the
/// part is unknown.
std::string_view set_optional_part(Cell& cell, std::string_view name, std::string_view part) {
  if (part == "longest" || part == "512") {
    cell.padding = part == "512" ? Padding::fixed_512 : Padding::longest;
    return "padding";
  }
  if (part == "curves") {
    cell.curves = true;
    return "curves";
  }
  if (part == "dynamics") {
    cell.dynamics = true;
    return "dynamics";
  }
  if (const auto seed = after(part, "seed-")) {
    cell.seed = parse_cell_number<std::uint64_t>(name, "the seed", *seed);
    return "seed";
  }
  if (const auto steps = after(part, "steps-")) {
    cell.steps = parse_cell_number<std::size_t>(name, "the number of steps", *steps);
    return "number of steps";
  }
  if (part.starts_with(kUniformPrefix)) {
    parse_limit(name, part);
    cell.initialization = part;
    return "initialization";
  }
  return "";
}

void check_norm(std::string_view norm) {
  const auto known = study_norms();
  if (std::ranges::find(known, norm) == known.end())
    throw UsageError(ref::numeric::unknown_name("norm of the study:", norm, known));
}

}  // namespace

Padding default_padding(const Protocol& protocol) {
  return protocol_name(protocol).starts_with("published") ? Padding::fixed_512 : Padding::longest;
}

std::vector<std::string> study_norms() {
  return {"layer_norm",   "batch_norm", "none",           "power_norm", "power_norm_released",
          "power_norm_v", "rms_norm",   "layer_norm_pre", "dyt"};
}

std::string number_name(double number) {
  const bool positions = number == 0 || (number >= 0.1 && number < 1e6);
  char text[32];
  const auto written =
      std::to_chars(text, text + sizeof text, number,
                    positions ? std::chars_format::fixed : std::chars_format::scientific);
  std::string name(text, written.ptr);
  // Changes "1e-02" to "1e-2" and "1e+06" to "1e6".
  if (const std::size_t e = name.find('e'); e != std::string::npos) {
    if (name[e + 1] == '+') name.erase(e + 1, 1);
    const std::size_t digits = name.find_first_of("0123456789", e);
    name.erase(digits, name.find_first_not_of('0', digits) - digits);
  }
  return name;
}

std::string cell_name(const Cell& cell) {
  std::string name = fmt::format("{}/{}x{}/{}/rate-{}/seed-{}", protocol_name(cell.protocol),
                                 cell.layers, cell.d_ff, cell.norm, cell.learning_rate, cell.seed);
  if (cell.padding != default_padding(cell.protocol))
    name += cell.padding == Padding::longest ? "/longest" : "/512";
  if (!cell.initialization.empty()) name += fmt::format("/{}", cell.initialization);
  if (cell.steps != Cell().steps) name += fmt::format("/steps-{}", cell.steps);
  if (cell.curves) name += "/curves";
  if (cell.dynamics) name += "/dynamics";
  return name;
}

Cell parse_cell(std::string_view name) {
  const auto parts = split_parts(name);
  if (parts.size() < 4) bad_cell(name, "has fewer than four parts", kShape);
  Cell cell;
  cell.protocol = parse_protocol(parts[0]);
  cell.padding = default_padding(cell.protocol);
  const std::size_t x = parts[1].find('x');
  if (x == std::string_view::npos)
    bad_cell(name, fmt::format("has '{}' for the model", parts[1]), "LAYERSxWIDTH such as 1x32");
  cell.layers = parse_cell_number<std::size_t>(name, "the number of layers", parts[1].substr(0, x));
  cell.d_ff = parse_cell_number<std::size_t>(name, "the width", parts[1].substr(x + 1));
  if (cell.layers == 0 || cell.d_ff == 0)
    bad_cell(name, fmt::format("has '{}' for the model", parts[1]),
             "one layer and a width of one, at least");
  check_norm(parts[2]);
  cell.norm = parts[2];
  const auto rate = after(parts[3], "rate-");
  if (!rate) bad_cell(name, fmt::format("has '{}' for the rate", parts[3]), "rate-R");
  parse_named_number(name, "rate", *rate);
  cell.learning_rate = *rate;
  std::set<std::string_view> set;
  for (std::size_t i = 4; i < parts.size(); ++i) {
    const std::string_view what = set_optional_part(cell, name, parts[i]);
    if (what.empty())
      bad_cell(name, fmt::format("has the part '{}'", parts[i]),
               "seed-N, longest, 512, uniform-LIMIT, steps-N, curves or dynamics");
    if (!set.insert(what).second)
      bad_cell(name, fmt::format("has '{}' behind another part for the {}", parts[i], what),
               "one at most");
  }
  return cell;
}

training::RunConfig make_run_config(const Cell& cell) {
  const std::string name = cell_name(cell);
  const Protocol& faults = cell.protocol;
  check_norm(cell.norm);
  training::RunConfig config;
  model::TrainConfig& train = config.train;
  model::EncoderConfig& encoder = train.encoder;
  encoder.num_layers = cell.layers;
  encoder.d_ff = cell.d_ff;
  const bool pre = cell.norm.ends_with("_pre");
  encoder.norm = model::norm_options(pre ? cell.norm.substr(0, cell.norm.size() - 4) : cell.norm);
  encoder.placement = pre ? model::NormPlacement::pre : model::NormPlacement::post;
  const bool per_position = faults.misaligned_labels || faults.no_padding_mask;
  encoder.pooling = per_position ? model::Pooling::per_position : model::Pooling::masked_mean;
  encoder.mask_padding = !faults.no_padding_mask;
  encoder.positions = !faults.published_model;
  train.optimizer = model::SgdOptions{};
  train.learning_rate = parse_named_number(name, "rate", cell.learning_rate);
  train.class_weights = faults.count_weights ? model::ClassWeights::frequency
                                             : model::ClassWeights::inverse_frequency;
  if (faults.published_model) {
    train.initialization = model::KaimingNormal{.gain = 1};
    train.bias_initialization = model::BiasInitialization::fan_in_uniform;
  }
  if (!cell.initialization.empty()) {
    const model::PlainUniform uniform{.limit = parse_limit(name, cell.initialization)};
    train.initialization = uniform;
    train.feed_forward_initialization = uniform;
  }
  train.seed = cell.seed;
  if (cell.padding == Padding::fixed_512) config.fixed_length = 512;
  return config;
}

}  // namespace normproof::verification::studies::published
