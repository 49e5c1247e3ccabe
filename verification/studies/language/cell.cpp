#include "verification/studies/language/cell.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::language {

namespace model = ref::model;
using ref::numeric::UsageError;

namespace {

[[noreturn]] void reject_cell(std::string_view name, std::string_view observation,
                              std::string_view expectation) {
  throw UsageError(fmt::format("cell '{}' {}; expected {}", name, observation, expectation));
}

std::vector<std::string_view> parts_between_slashes(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Returns `part` without `prefix`, with which it must begin. `part` is one part of the name of a
/// training run.
/// Throws    UsageError if the part does not begin with the prefix
std::string_view text_after_prefix(std::string_view name, std::string_view part,
                                   std::string_view prefix) {
  if (!part.starts_with(prefix))
    reject_cell(name, fmt::format("has the part '{}'", part), fmt::format("{}...", prefix));
  return part.substr(prefix.size());
}

template <class T>
T value_of(std::string_view name, const char* what, std::string_view text) {
  T value{};
  model::parse_field(fmt::format("{} of cell '{}'", what, name), text, value);
  return value;
}

double parse_rate(std::string_view name, std::string_view text) {
  const auto rate = value_of<double>(name, "the rate", text);
  if (!(rate > 0)) reject_cell(name, fmt::format("has the rate {}", text), "one above 0");
  return rate;
}

void check_norm_name(training::Task task, std::string_view norm) {
  const std::vector<std::string>& known = study_norms(task);
  if (std::ranges::find(known, norm) == known.end())
    throw UsageError(ref::numeric::unknown_name("norm of the study:", norm, known));
}

/// Returns the options of the norm `name` in this training run. power_norm_released has its own
/// warm-up, which is set to twice the learning rate's warm-up so that it fits into the short run.
model::NormOptions make_norm(const Cell& cell, std::string_view name) {
  model::NormOptions norm = model::norm_options(name);
  if (auto* const released = std::get_if<model::PowerNormReleasedOptions>(&norm))
    released->warmup_iterations = 2 * warmup_steps(cell);
  return norm;
}

void set_language_model(const Cell& cell, training::RunConfig& config) {
  const bool quick = cell.size == Size::quick;
  model::EncoderConfig& encoder = config.train.encoder;
  encoder.d_model = quick ? 16 : 64;
  encoder.d_ff = 4 * encoder.d_model;
  encoder.num_heads = 4;
  encoder.num_layers = 2;
  encoder.placement = cell.placement;
  encoder.norm = make_norm(cell, cell.norm);
  config.context = quick ? 32 : 64;
  config.batch_size = quick ? 16 : 32;
  config.epochs = quick ? 4 : 6;
}

void set_translator(const Cell& cell, training::RunConfig& config) {
  const bool quick = cell.size == Size::quick;
  model::DecoderConfig& translator = config.translator;
  translator.d_model = quick ? 16 : 64;
  translator.placement = cell.placement;
  translator.scaled_embedding = true;
  const auto [encoder, decoder] = split_norms_by_side(cell.norm);
  const auto set_side = [&](model::LayersConfig& side, const std::string& norm) {
    side.num_heads = 4;
    side.d_ff = 4 * translator.d_model;
    side.num_layers = quick ? 1 : 2;
    side.norm = side.final_norm = make_norm(cell, norm);
  };
  set_side(translator.encoder, encoder);
  set_side(translator.decoder, decoder);
  config.batch_size = quick ? 16 : 64;
  config.epochs = 4;
  // The embedding is multiplied by sqrt(d_model). With this limit, it is then as large as the
  // positions that are added to it. Xavier initialization for 4,096 words gives a quarter of that.
  if (!quick) config.train.initialization = model::PlainUniform{.limit = 0.2};
}

}  // namespace

const std::vector<training::Task>& study_tasks() {
  static const std::vector<training::Task> tasks = {training::Task::language,
                                                    training::Task::translate};
  return tasks;
}

const std::vector<std::string>& study_norms(training::Task task) {
  static const std::vector<std::string> of_one_side = {
      "layer_norm",          "none",     "batch_norm", "power_norm_v", "power_norm",
      "power_norm_released", "rms_norm", "dyt"};
  static const std::vector<std::string> of_two_sides = [] {
    std::vector<std::string> norms = of_one_side;
    norms.emplace_back(kReleasedPlacement);
    return norms;
  }();
  return task == training::Task::translate ? of_two_sides : of_one_side;
}

std::pair<std::string, std::string> split_norms_by_side(std::string_view norm) {
  const std::size_t plus = norm.find('+');
  if (plus == std::string_view::npos) return {std::string(norm), std::string(norm)};
  return {std::string(norm.substr(0, plus)), std::string(norm.substr(plus + 1))};
}

const std::vector<std::string>& study_rates() {
  static const std::vector<std::string> rates = {"3e-3", "1e-2", "3e-2"};
  return rates;
}

std::int64_t warmup_steps(const Cell& cell) {
  if (cell.size == Size::quick) return 40;
  return cell.task == training::Task::translate ? 400 : 100;
}

std::string cell_name(const Cell& cell) {
  std::string name =
      fmt::format("{}/{}/{}/rate-{}/seed-{}", model::print_field(cell.task),
                  model::print_field(cell.placement), cell.norm, cell.learning_rate, cell.seed);
  if (cell.size == Size::quick) name += "/quick";
  if (cell.purpose == RunPurpose::test) name += "/test";
  if (cell.purpose == RunPurpose::dynamics) name += "/dynamics";
  return name;
}

Cell parse_cell(std::string_view name) {
  const auto parts = parts_between_slashes(name);
  if (parts.size() < 5)
    reject_cell(name, "has fewer than five parts",
                "TASK/PLACEMENT/NORM/rate-R/seed-N, then /quick, and /test or /dynamics");
  Cell cell;
  cell.task = value_of<training::Task>(name, "the task", parts[0]);
  if (std::ranges::find(study_tasks(), cell.task) == study_tasks().end())
    reject_cell(name, fmt::format("has the task {}", parts[0]),
                "one of the study, language or translate");
  cell.placement = value_of<model::NormPlacement>(name, "the placement", parts[1]);
  check_norm_name(cell.task, parts[2]);
  cell.norm = parts[2];
  cell.learning_rate =
      studies::published::number_name(parse_rate(name, text_after_prefix(name, parts[3], "rate-")));
  if (std::ranges::find(study_rates(), cell.learning_rate) == study_rates().end())
    reject_cell(name, fmt::format("has the rate {}", cell.learning_rate),
                fmt::format("one of the study, {}", fmt::join(study_rates(), ", ")));
  cell.seed = value_of<std::uint64_t>(name, "the seed", text_after_prefix(name, parts[4], "seed-"));
  if (cell.seed == 0) reject_cell(name, "has the seed 0", "1 or more");
  const auto set_purpose_once = [&](RunPurpose purpose) {
    if (cell.purpose != RunPurpose::validation && cell.purpose != purpose)
      reject_cell(name, "has the parts test and dynamics", "one of them");
    cell.purpose = purpose;
  };
  for (std::size_t i = 5; i < parts.size(); ++i) {
    if (parts[i] == "quick")
      cell.size = Size::quick;
    else if (parts[i] == "test")
      set_purpose_once(RunPurpose::test);
    else if (parts[i] == "dynamics")
      set_purpose_once(RunPurpose::dynamics);
    else
      reject_cell(name, fmt::format("has the part '{}'", parts[i]), "quick, test or dynamics");
  }
  if (const std::string own = cell_name(cell); own != name)
    reject_cell(name, "has another name", fmt::format("its one name, {}", own));
  return cell;
}

training::RunConfig make_run_config(const Cell& cell) {
  check_norm_name(cell.task, cell.norm);
  training::RunConfig config = training::default_config(cell.task);
  if (cell.task == training::Task::translate)
    set_translator(cell, config);
  else
    set_language_model(cell, config);
  config.train.learning_rate = parse_rate(cell_name(cell), cell.learning_rate);
  config.train.schedule = model::InverseSquareRoot{.warmup_steps = warmup_steps(cell)};
  config.train.seed = cell.seed;
  return config;
}

}  // namespace normproof::verification::studies::language
