#include "verification/checks/statistics/statistics_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace normproof::verification::checks::statistics {

using nlohmann::ordered_json;

namespace {

ordered_json options_json(const ref::model::NormOptions& options) {
  ordered_json json = ordered_json::object();
  for (const auto& [field, value] : ref::model::list_options(options)) json[field] = value;
  return json;
}

ordered_json stability_json(const StabilityReport& report) {
  return {{"stability", to_string(report.stability)},
          {"max_theta", report.max_theta},
          {"steps_above_one", report.steps_above_one},
          {"first_above_one", report.first_above_one},
          {"first_error", report.first_error}};
}

/// Returns a quantity as a JSON array with one element per step.
template <class Value>
ordered_json series(const std::vector<RecordedStep>& steps, Value value) {
  ordered_json array = ordered_json::array();
  for (const RecordedStep& step : steps) {
    const std::optional<double> number = value(step);
    array.push_back(number ? ordered_json(*number) : ordered_json());
  }
  return array;
}

void write_fluctuation(ordered_json& json, const std::string& name,
                       const RecordedScenario& followed,
                       std::optional<Fluctuation> RecordedStep::*member) {
  const auto part = [&](double Fluctuation::*value) {
    return series(followed.steps, [&](const RecordedStep& step) -> std::optional<double> {
      if (!(step.*member)) return std::nullopt;
      return *(step.*member).*value;
    });
  };
  json[name] = {{"absolute", part(&Fluctuation::absolute)},
                {"relative", part(&Fluctuation::relative)}};
}

void write_recursion(ordered_json& json, const std::string& name, const RecordedScenario& followed,
                     double NuUpdate::*value) {
  json[name] = series(followed.steps, [&](const RecordedStep& step) -> std::optional<double> {
    if (!step.recursion) return std::nullopt;
    return *step.recursion.*value;
  });
}

ordered_json followed_json(const RecordedScenario& followed) {
  const Scenario& scenario = followed.scenario;
  ordered_json json = {{"name", scenario.name},
                       {"description", scenario.description},
                       {"layer", ref::model::norm_name(scenario.options)},
                       {"options", options_json(scenario.options)},
                       {"masked", scenario.masked},
                       {"pad_scale", scenario.pad_scale},
                       {"decides", scenario.decides}};
  ordered_json fluctuations = ordered_json::object();
  if (!followed.is_power_norm) {
    write_fluctuation(fluctuations, "mean", followed, &RecordedStep::mean);
    write_fluctuation(fluctuations, "variance", followed, &RecordedStep::variance);
    json["fluctuation"] = std::move(fluctuations);
    return json;
  }
  write_fluctuation(fluctuations, "quadratic_mean", followed, &RecordedStep::quadratic_mean);
  json["fluctuation"] = std::move(fluctuations);
  json["stability"] = stability_json(followed.stability);
  json["diverged"] = followed.diverged;
  write_recursion(json, "max_theta", followed, &NuUpdate::max_theta);
  write_recursion(json, "max_nu", followed, &NuUpdate::max_nu);
  write_recursion(json, "rms_nu", followed, &NuUpdate::rms_nu);
  return json;
}

ordered_json enclosure_json(const checks::lipschitz::Enclosure& norm) {
  return {{"lower", norm.lower}, {"upper", norm.upper}, {"theory", norm.theory}};
}

ordered_json lipschitz_at_step_json(const LipschitzAtStep& slope) {
  return {{"step", slope.step},
          {"layer", slope.layer},
          {"theory", slope.theory},
          {"at", enclosure_json(slope.at)},
          {"around", enclosure_json(slope.around)}};
}

}  // namespace

ordered_json to_json(const Statistics& statistics) {
  const StatisticsOptions& options = statistics.options;
  const CorpusFacts& corpus = statistics.corpus;
  ordered_json json = {{"options",
                        {{"seed", options.seed},
                         {"d_model", options.d_model},
                         {"batch_size", options.batch_size},
                         {"steps", options.steps},
                         {"embedding_scale", options.embedding_scale},
                         {"large_pad", options.large_pad},
                         {"warmup_steps", options.warmup_steps},
                         {"published_length", options.published_length},
                         {"slope_radius", options.slope_radius}}},
                       {"corpus",
                        {{"sentences", corpus.sentences},
                         {"tokens", corpus.tokens},
                         {"longest", corpus.longest},
                         {"published_pad_fraction", corpus.published_pad_fraction}}},
                       {"padding_is_inert", statistics.padding_is_inert},
                       {"error", has_error(statistics)}};
  json["batches"] = ordered_json::array();
  for (const BatchRecord& batch : statistics.batches) {
    json["batches"].push_back({{"sentences", batch.sentences},
                               {"seq_len", batch.seq_len},
                               {"tokens", batch.tokens},
                               {"pad_fraction", batch.pad_fraction},
                               {"mean_change", batch.mean_change},
                               {"variance_change", batch.variance_change},
                               {"quadratic_mean_change", batch.quadratic_mean_change}});
  }
  json["followed"] = ordered_json::array();
  for (const RecordedScenario& followed : statistics.followed)
    json["followed"].push_back(followed_json(followed));
  json["slopes"] = ordered_json::array();
  for (const LipschitzAtStep& slope : statistics.slopes)
    json["slopes"].push_back(lipschitz_at_step_json(slope));
  return json;
}

}  // namespace normproof::verification::checks::statistics
