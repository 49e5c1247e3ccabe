#include "verification/studies/published/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/elementary.hpp"

namespace normproof::verification::studies::published {

using nlohmann::ordered_json;

namespace {

constexpr const char* kFormat = "normproof-study-1";

/// Returns the text of study.json: the given fields, followed by a field with the SHA-256 of these
/// fields.
std::string append_hash(ordered_json identity) {
  identity["sha256"] = ref::io::sha256(identity.dump(1));
  return identity.dump(1) + "\n";
}

std::vector<std::size_t> parse_class_counts(const training::Sentences& sentences) {
  std::vector<std::size_t> counts;
  for (const int label : sentences.labels) {
    const auto c = static_cast<std::size_t>(label);
    if (counts.size() <= c) counts.resize(c + 1);
    ++counts[c];
  }
  return counts;
}

std::size_t sum_counts(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::vector<std::size_t> read_counts(const ref::io::JsonReader& reader, const nlohmann::json& all,
                                     const char* key) {
  std::vector<std::size_t> counts;
  for (const nlohmann::json& count : reader.array(all, std::string("classes.") + key, key)) {
    if (!count.is_number_unsigned())
      reader.fail(std::string("classes.") + key, "has something else", "whole numbers");
    counts.push_back(count.get<std::size_t>());
  }
  if (sum_counts(counts) == 0) reader.fail(std::string("classes.") + key, "has none", "sentences");
  return counts;
}

}  // namespace

std::optional<double> mean_of_last(const CellResult& cell, std::size_t last) {
  if (cell.diverged || cell.steps.empty()) return std::nullopt;
  const std::size_t count = std::min(last, cell.steps.size());
  double sum = 0;
  for (std::size_t i = cell.steps.size() - count; i < cell.steps.size(); ++i)
    sum += cell.steps[i].loss;
  return sum / static_cast<double>(count);
}

bool converged(const CellResult& cell, const ConvergenceRule& rule) {
  const auto mean = mean_of_last(cell, rule.last);
  return mean && *mean < rule.share * cell.steps.front().loss;
}

double ClassCounts::majority() const {
  return static_cast<double>(*std::ranges::max_element(validation)) /
         static_cast<double>(sum_counts(validation));
}

ClassCounts class_counts(const training::Dataset& data) {
  return {parse_class_counts(data.training), parse_class_counts(data.validation)};
}

bool learned(const CellResult& cell, const ClassCounts& classes, const LearningRule& rule) {
  if (cell.diverged || cell.epochs.empty()) return false;
  const double share = classes.majority();
  const double error =
      std::sqrt(share * (1 - share) / static_cast<double>(sum_counts(classes.validation)));
  return cell.epochs.back().accuracy > share + rule.errors * error;
}

double loss_floor(const ClassCounts& classes, bool count_weights) {
  std::vector<double> weights;
  weights.reserve(classes.training.size());
  for (const std::size_t count : classes.training) {
    const auto n = static_cast<double>(count);
    // The product of n and the class weight N / (C n) is the same for every class.
    if (n > 0) weights.push_back(count_weights ? n * n : 1.0);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double entropy = 0;
  for (const double weight : weights) entropy -= weight / sum * ref::numeric::log(weight / sum);
  return entropy;
}

std::string study_identity(const training::Dataset& data) {
  const ClassCounts classes = class_counts(data);
  const std::string described = training::data_json(data);
  return append_hash(
      {{"format", kFormat},
       {"contract", ref::numeric::kArithmeticContract},
       {"data", ordered_json::parse(described)},
       {"data_sha256", ref::io::sha256(described)},
       {"classes", {{"training", classes.training}, {"validation", classes.validation}}}});
}

Identity parse_identity(std::string_view text, const std::string& file) {
  const ref::io::JsonReader reader(file);
  const nlohmann::json identity = reader.parse(text, "what 'normproof study run' writes");
  if (const std::string format = reader.text(identity, "format", "format"); format != kFormat)
    reader.fail("format", fmt::format("is '{}'", format), kFormat);
  const std::uint64_t contract = reader.whole(identity, "contract", "contract");
  if (contract != ref::numeric::kArithmeticContract)
    reader.fail("contract", fmt::format("is {}", contract),
                fmt::format("{}, the arithmetic contract of this program",
                            ref::numeric::kArithmeticContract));
  const nlohmann::json& classes = reader.object(identity, "classes", "classes");
  Identity read = {
      {read_counts(reader, classes, "training"), read_counts(reader, classes, "validation")},
      reader.sha256(identity, "data_sha256", "data_sha256")};
  reader.sha256(identity, "sha256", "sha256");
  // The text must be the one that serializing these fields gives. This excludes unknown fields.
  ordered_json unsealed = ordered_json::parse(text);
  unsealed.erase("sha256");
  if (append_hash(std::move(unsealed)) != text)
    reader.fail("sha256", "is not that of the fields before it",
                "study.json as 'normproof study run' wrote it");
  return read;
}

}  // namespace normproof::verification::studies::published
