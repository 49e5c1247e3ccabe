#include "verification/checks/statistics/summary.hpp"

#include <limits>
#include <vector>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::statistics {

using ref::numeric::Clause;

Summary summarize(std::span<const double> values) {
  if (values.empty())
    ref::numeric::contract_failure("summarize", "values", "is empty", "at least one value",
                                   Clause::C1);
  Summary summary{values[0], 0, values[0]};
  double sum = 0;
  for (const double value : values) {
    sum += value;
    if (value < summary.least) summary.least = value;
    if (value > summary.largest) summary.largest = value;
  }
  summary.mean = sum / static_cast<double>(values.size());
  if (sum != sum) summary.least = summary.largest = std::numeric_limits<double>::quiet_NaN();
  return summary;
}

std::optional<FluctuationSummary> summarize(const RecordedScenario& followed,
                                            std::optional<Fluctuation> RecordedStep::*fluctuation) {
  std::vector<double> absolute, relative;
  for (const RecordedStep& step : followed.steps) {
    if (!(step.*fluctuation)) continue;
    absolute.push_back((step.*fluctuation)->absolute);
    relative.push_back((step.*fluctuation)->relative);
  }
  if (absolute.empty()) return std::nullopt;
  return FluctuationSummary{summarize(absolute), summarize(relative)};
}

std::optional<Summary> summarize(const RecordedScenario& followed, double NuUpdate::*quantity) {
  std::vector<double> values;
  for (const RecordedStep& step : followed.steps)
    if (step.recursion) values.push_back(*step.recursion.*quantity);
  if (values.empty()) return std::nullopt;
  return summarize(values);
}

Summary summarize(const Statistics& statistics, double BatchRecord::*quantity) {
  std::vector<double> values;
  for (const BatchRecord& batch : statistics.batches) values.push_back(batch.*quantity);
  return summarize(values);
}

}  // namespace normproof::verification::checks::statistics
