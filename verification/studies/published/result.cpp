#include "verification/studies/published/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "ref/model/norm_options.hpp"
#include "ref/model/operation_info.hpp"

namespace normproof::verification::studies::published {

using nlohmann::json;
using nlohmann::ordered_json;
using ref::io::JsonReader;

namespace {

using OptionalNumbers = std::vector<std::optional<double>>;

ordered_json to_json(const OptionalNumbers& numbers) {
  ordered_json array = ordered_json::array();
  for (const auto& number : numbers) array.push_back(number ? ordered_json(*number) : nullptr);
  return array;
}

/// Returns a JSON array with f(step) for each step: a number, or null if f returns nothing.
template <class Rows, class F>
ordered_json column(const Rows& rows, F f) {
  OptionalNumbers numbers;
  numbers.reserve(rows.size());
  for (const auto& row : rows) numbers.emplace_back(f(row));
  return to_json(numbers);
}

ordered_json pairs_json(const std::vector<std::pair<std::string, double>>& pairs) {
  ordered_json array = ordered_json::array();
  for (const auto& [name, value] : pairs) array.push_back({name, value});
  return array;
}

/// Reads the fields of one result from JSON.
class LineReader {
 public:
  LineReader(std::string_view line, const std::string& file)
      : reader_(file), object_(reader_.parse(line, "a result of a cell")) {}

  const JsonReader& reader() const { return reader_; }
  const json& object() const { return object_; }

  /// Reads a JSON array whose entries are numbers or null.
  OptionalNumbers numbers(const json& object, const std::string& field, const char* key) const {
    OptionalNumbers result;
    for (const json& value : reader_.array(object, field, key)) {
      if (!value.is_null() && !value.is_number())
        reader_.fail(field, fmt::format("holds a {}", value.type_name()), "numbers or null");
      result.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
    }
    return result;
  }

  /// Reads a JSON array of numbers, and stores entry i in the given member of row i. Entries may be
  /// null if the member is optional. The call with `first` set creates the rows.
  template <class Row, class Member>
  void columns(const json& object, const std::string& section, const char* key,
               std::vector<Row>& rows, Member Row::*member, bool first) const {
    const std::string field = fmt::format("{}.{}", section, key);
    const OptionalNumbers values = numbers(object, field, key);
    if (first) rows.resize(values.size());
    if (values.size() != rows.size())
      reader_.fail(field, fmt::format("has {} numbers", values.size()),
                   fmt::format("{}, one a row", rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if constexpr (std::is_same_v<Member, std::optional<double>>) {
        rows[i].*member = values[i];
      } else {
        if (!values[i]) reader_.fail(field, "holds null", "numbers");
        rows[i].*member = static_cast<Member>(*values[i]);
      }
    }
  }

  /// Reads a JSON array of pairs: [["name", 1.5], ...].
  std::vector<std::pair<std::string, double>> pairs(const json& object, const std::string& field,
                                                    const char* key) const {
    std::vector<std::pair<std::string, double>> result;
    for (const json& pair : reader_.array(object, field, key)) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
        reader_.fail(field, "holds something else", "pairs of a name and a number");
      result.emplace_back(pair[0].get<std::string>(), pair[1].get<double>());
    }
    return result;
  }

 private:
  JsonReader reader_;
  json object_;
};

ordered_json site_json(const NormLayerDynamics& site) {
  ordered_json series = ordered_json::array();
  for (const auto& [name, numbers] : site.series) series.push_back({name, to_json(numbers)});
  return {{"site", site.site}, {"series", series}, {"spreads", pairs_json(site.spreads)}};
}

NormLayerDynamics read_norm_layer(const LineReader& line, const json& object,
                                  const std::string& field) {
  const JsonReader& reader = line.reader();
  if (!object.is_object()) reader.fail(field, "is no object", "site, series and spreads");
  NormLayerDynamics site;
  site.site = reader.text(object, field + ".site", "site");
  for (const json& pair : reader.array(object, field + ".series", "series")) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_array())
      reader.fail(field + ".series", "holds something else", "pairs of a name and numbers");
    const json named = {{"numbers", pair[1]}};
    site.series.emplace_back(pair[0].get<std::string>(),
                             line.numbers(named, field + ".series", "numbers"));
  }
  site.spreads = line.pairs(object, field + ".spreads", "spreads");
  return site;
}

}  // namespace

std::string divergence_sentence(std::size_t step, const ref::numeric::ContractError& refusal) {
  using ref::numeric::Clause;
  const ref::numeric::ContractViolation& violation = refusal.violation();
  const auto norms = ref::model::norm_names();
  const bool of_a_norm = std::ranges::any_of(norms, [&](const std::string& name) {
    return violation.function == name || violation.function == name + "_backward";
  });
  const bool of_logits =
      ref::model::is_operation_name<ref::model::CrossEntropyOptions>(violation.function) &&
      violation.clause == Clause::C8;
  return fmt::format("step {}: {}", step,
                     of_a_norm || of_logits ? sentence(violation) : refusal.what());
}

std::string result_line(const CellResult& result) {
  const auto& steps = result.steps;
  const auto& epochs = result.epochs;
  ordered_json object = {{"name", result.name},
                         {"sha256", result.sha256},
                         {"data_sha256", result.data_sha256},
                         {"initial_gradients", pairs_json(result.initial_gradients)}};
  object["steps"] = {
      {"loss", column(steps, [](const StepResult& s) { return s.loss; })},
      {"accuracy", column(steps, [](const StepResult& s) { return s.accuracy; })},
      {"gradient_norm", column(steps, [](const StepResult& s) { return s.gradient_norm; })},
      {"lipschitz", column(steps, [](const StepResult& s) { return s.lipschitz; })},
      {"smoothness", column(steps, [](const StepResult& s) { return s.smoothness; })}};
  object["epochs"] = {
      {"step", column(epochs, [](const EpochResult& e) { return static_cast<double>(e.step); })},
      {"loss", column(epochs, [](const EpochResult& e) { return e.loss; })},
      {"accuracy", column(epochs, [](const EpochResult& e) { return e.accuracy; })},
      {"macro_f1", column(epochs, [](const EpochResult& e) { return e.macro_f1; })}};
  object["dynamics"] = ordered_json::array();
  for (const NormLayerDynamics& site : result.dynamics)
    object["dynamics"].push_back(site_json(site));
  if (result.diverged)
    object["diverged"] = {{"step", result.diverged->step}, {"sentence", result.diverged->sentence}};
  return object.dump();
}

CellResult parse_result(std::string_view text, const std::string& file) {
  const LineReader line(text, file);
  const JsonReader& reader = line.reader();
  const json& object = line.object();
  CellResult result;
  result.name = reader.text(object, "name", "name");
  result.sha256 = reader.sha256(object, "sha256", "sha256");
  result.data_sha256 = reader.sha256(object, "data_sha256", "data_sha256");
  result.initial_gradients = line.pairs(object, "initial_gradients", "initial_gradients");
  const json& steps = reader.object(object, "steps", "steps");
  line.columns(steps, "steps", "loss", result.steps, &StepResult::loss, true);
  line.columns(steps, "steps", "accuracy", result.steps, &StepResult::accuracy, false);
  line.columns(steps, "steps", "gradient_norm", result.steps, &StepResult::gradient_norm, false);
  line.columns(steps, "steps", "lipschitz", result.steps, &StepResult::lipschitz, false);
  line.columns(steps, "steps", "smoothness", result.steps, &StepResult::smoothness, false);
  const json& epochs = reader.object(object, "epochs", "epochs");
  line.columns(epochs, "epochs", "step", result.epochs, &EpochResult::step, true);
  line.columns(epochs, "epochs", "loss", result.epochs, &EpochResult::loss, false);
  line.columns(epochs, "epochs", "accuracy", result.epochs, &EpochResult::accuracy, false);
  line.columns(epochs, "epochs", "macro_f1", result.epochs, &EpochResult::macro_f1, false);
  for (const json& site : reader.array(object, "dynamics", "dynamics"))
    result.dynamics.push_back(
        read_norm_layer(line, site, fmt::format("dynamics[{}]", result.dynamics.size())));
  if (object.contains("diverged")) {
    const json& diverged = reader.object(object, "diverged", "diverged");
    result.diverged = {reader.whole(diverged, "diverged.step", "step"),
                       reader.text(diverged, "diverged.sentence", "sentence")};
  }
  return result;
}

}  // namespace normproof::verification::studies::published
