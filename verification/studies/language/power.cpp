#include "verification/studies/language/power.hpp"

#include "verification/studies/language/choice.hpp"

namespace normproof::verification::studies::language {
namespace {

/// Returns a quantity of a norm at its chosen learning rate. The result maps each seed to the value
/// of the quantity.
std::map<std::uint64_t, double> map_values_by_seed(const Results& results,
                                                   const Condition& condition,
                                                   const std::string& norm,
                                                   const Quantity& quantity) {
  std::map<std::uint64_t, double> found;
  const auto rate = chosen_rate(results, condition, norm);
  if (!rate) return found;
  for (const auto& [name, finished] : results) {
    const Cell& cell = finished.cell;
    if (cell.purpose == RunPurpose::dynamics ||
        cell != cell_of(condition, norm, *rate, cell.seed, cell.purpose))
      continue;
    if (const auto value = quantity(finished.result)) found[cell.seed] = *value;
  }
  return found;
}

}  // namespace

std::vector<PowerRow> power_rows(const Results& results, const Quantity& quantity,
                                 std::size_t seeds) {
  std::vector<PowerRow> rows;
  for (const Condition& condition : list_conditions(results)) {
    const auto reference = map_values_by_seed(results, condition, reference_norm(), quantity);
    for (const std::string& norm : study_norms(condition.task)) {
      if (norm == reference_norm()) continue;
      std::vector<double> differences;
      double sum = 0;
      for (const auto& [seed, value] : map_values_by_seed(results, condition, norm, quantity))
        if (const auto other = reference.find(seed); other != reference.end()) {
          differences.push_back(value - other->second);
          sum += other->second;
        }
      const auto deviation = sample_deviation(differences);
      if (!deviation) continue;
      rows.push_back({condition, norm, differences.size(), *deviation,
                      detectable_difference(*deviation, seeds),
                      sum / static_cast<double>(differences.size())});
    }
  }
  return rows;
}

}  // namespace normproof::verification::studies::language
