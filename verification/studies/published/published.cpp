#include "verification/studies/published/published.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "ref/numeric/errors.hpp"
#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {

namespace {

using Points = std::vector<std::pair<double, double>>;

/// Returns the entry of a norm in `known`, or nothing if the norm has none.
template <class Value>
Value value_of(const std::map<std::string, Value, std::less<>>& known, std::string_view norm) {
  const auto found = known.find(norm);
  return found == known.end() ? Value{} : found->second;
}

std::size_t rate_index(std::string_view rate) {
  return static_cast<std::size_t>(std::ranges::find(study_rates(), rate) - study_rates().begin());
}

}  // namespace

std::optional<std::string_view> published_highest_rate(std::size_t table, std::string_view norm) {
  using Rates = std::array<std::string_view, 6>;
  static const std::map<std::string, std::optional<Rates>, std::less<>> highest = {
      {"layer_norm", Rates{"0.5", "0.5", "0.5", "0.5", "0.5", "0.5"}},
      {"batch_norm", Rates{"0.5", "0.5", "0.1", "1e-3", "1e-3", "1e-4"}},
      {"none", Rates{"0.1", "0.1", "0.1", "1e-3", "1e-3", "1e-4"}}};
  if (table < 1 || table > std::tuple_size_v<Rates>)
    ref::numeric::contract_failure("published_highest_rate", "table", "is " + std::to_string(table),
                                   "1 to 6", ref::numeric::Clause::C1);
  const auto rates = value_of(highest, norm);
  return rates ? std::optional(rates->at(table - 1)) : std::nullopt;
}

std::optional<bool> published_outcome(std::size_t table, std::string_view norm,
                                      std::string_view rate) {
  const auto highest = published_highest_rate(table, norm);
  const std::size_t place = rate_index(rate);
  if (!highest || place == study_rates().size()) return std::nullopt;
  return place >= rate_index(*highest);
}

std::optional<bool> published_initialization(std::string_view norm,
                                             std::string_view initialization) {
  if (!published_highest_rate(1, norm)) return std::nullopt;
  if (initialization == "uniform-0.1") return true;
  if (initialization == "uniform-100") return false;
  return std::nullopt;
}

std::vector<double> published_shallow_gradients(std::string_view norm) {
  static const std::map<std::string, std::vector<double>, std::less<>> norms = {
      {"layer_norm", {3.1, 2.1, 2.3, 2.1, 2.3, 1.7, 0.3, 18.5, 0.35, 3.2, 0.6}},
      {"batch_norm", {0.28, 0.15, 0.15, 0.15, 0.15, 0.15, 0.02, 1.75, 0.02, 0.4, 0.6}},
      {"none", {1.35, 0.95, 1.0, 0.95, 1.05, 0.78, 0.58, 8.4, 0.62, 1.4, 0.6}}};
  return value_of(norms, norm);
}

std::vector<double> published_deep_gradients(std::string_view norm) {
  static const std::map<std::string, std::vector<double>, std::less<>> peaks = {
      {"layer_norm", {11, 12, 13.5, 15, 17}},
      {"batch_norm", {6, 2.5, 1, 1, 1.5}},
      {"none", {325, 305, 312, 322, 340}}};
  return value_of(peaks, norm);
}

std::optional<double> published_deep_embedding(std::string_view norm) {
  static const std::map<std::string, std::optional<double>, std::less<>> embedding = {
      {"layer_norm", 2}, {"batch_norm", 1.5}, {"none", 57}};
  return value_of(embedding, norm);
}

std::vector<std::pair<double, double>> published_points(std::size_t figure, std::string_view norm) {
  using Named = std::map<std::string, Points, std::less<>>;
  static const std::map<std::size_t, Named> figures = {
      {4,
       {{"layer_norm", {{1, 2.4}, {25, 0.7}, {87, 0.58}}},
        {"batch_norm", {{1, 1.29}, {2, 0.92}, {30, 1.32}, {59, 1.36}, {87, 0.8}}},
        {"none", {{1, 1.02}, {87, 0.62}}}}},
      {5,
       {{"layer_norm", {{1, 0.0165}, {27, 0.001}}},
        {"batch_norm", {{1, 0.0078}, {30, 0.0072}, {59, 0.0069}}},
        {"none", {{1, 0.0045}}}}},
      {6,
       {{"layer_norm", {{1, 0.6}, {12, 1.63}, {65, 0.1}}},
        {"batch_norm", {{1, 0.19}, {30, 0.17}, {59, 0.19}}},
        {"none", {{1, 0.12}, {87, 0.03}}}}}};
  const auto found = figures.find(figure);
  return found == figures.end() ? Points() : value_of(found->second, norm);
}

}  // namespace normproof::verification::studies::published
