#include "verification/cli/study/study_smoothness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "verification/studies/published/conclusions.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::number_text;

namespace {

/// The number of steps at which two quantities are present, and the number of these steps at which
/// the first quantity is below the second.
struct StepCount {
  std::size_t below = 0, steps = 0;

  void add(const studies::published::NormLayerDynamics& a, const char* of_a,
           const studies::published::NormLayerDynamics& b, const char* of_b) {
    const auto *const left = a.find(of_a), *const right = b.find(of_b);
    if (left == nullptr || right == nullptr) return;
    for (std::size_t i = 0; i < std::min(left->size(), right->size()); ++i)
      if ((*left)[i] && (*right)[i]) {
        ++steps;
        below += *(*left)[i] < *(*right)[i] ? 1 : 0;
      }
  }
  std::string text() const { return steps > 0 ? fmt::format("{} of {}", below, steps) : "–"; }
};

/// The mean of a quantity over the steps at which it is present.
struct StepMean {
  double sum = 0;
  std::size_t steps = 0;

  void add(const studies::published::NormLayerDynamics& site, const char* series) {
    const auto* const values = site.find(series);
    if (values == nullptr) return;
    for (const auto& value : *values)
      if (value) {
        sum += *value;
        ++steps;
      }
  }
  std::string text() const {
    return steps > 0 ? number_text(sum / static_cast<double>(steps)) : "–";
  }
};

struct NormLayerSmoothness {
  StepCount own, on_batch_norm, on_power_norm;
  StepMean batch_norm, power_norm;
};

/// Compares power_norm with batch_norm in each norm layer, over the seeds for which each of the two
/// norms has a training run.
std::map<std::string, NormLayerSmoothness> compare_smoothness(
    const studies::published::Results& results, const studies::published::Condition& condition) {
  std::map<std::string, NormLayerSmoothness> sites;
  const auto batch_norms = find_curve_runs(results, condition, "batch_norm");
  for (const studies::published::FinishedRun* power :
       find_curve_runs(results, condition, "power_norm")) {
    const auto batch =
        std::ranges::find(batch_norms, power->cell.seed,
                          [](const studies::published::FinishedRun* f) { return f->cell.seed; });
    if (batch == batch_norms.end()) continue;
    for (const studies::published::NormLayerDynamics& own : power->result.dynamics)
      for (const studies::published::NormLayerDynamics& other : (*batch)->result.dynamics) {
        if (own.site != other.site) continue;
        NormLayerSmoothness& site = sites[own.site];
        site.own.add(own, "lipschitz", other, "lipschitz");
        site.on_batch_norm.add(other, "lipschitz_power_norm", other, "lipschitz_batch_norm");
        site.on_power_norm.add(own, "lipschitz_power_norm", own, "lipschitz_batch_norm");
        site.batch_norm.add(other, "lipschitz");
        site.power_norm.add(own, "lipschitz");
      }
  }
  return sites;
}

}  // namespace

support::report::Table smoothness_table(const studies::published::Results& results,
                                        const studies::published::Condition& condition) {
  support::report::Table table{
      "Is PowerNorm smoother than BatchNorm here? The steps at which gamma/psi is below "
      "gamma/sigma",
      support::report::text_columns({"site", "each in its own run", "BatchNorm's, mean",
                                     "PowerNorm's, mean", "on BatchNorm's activations",
                                     "on PowerNorm's activations"})};
  for (const auto& [name, site] : compare_smoothness(results, condition))
    table.rows.push_back({{{name},
                           {site.own.text()},
                           {site.batch_norm.text()},
                           {site.power_norm.text()},
                           {site.on_batch_norm.text()},
                           {site.on_power_norm.text()}}});
  return table;
}

std::string smoothness_answer(const studies::published::Results& results,
                              const studies::published::Condition& condition) {
  const auto sites = compare_smoothness(results, condition);
  StepCount own;
  for (const auto& [name, site] : sites) {
    own.below += site.own.below;
    own.steps += site.own.steps;
  }
  if (own.steps == 0) return "";
  const char* const answer = own.below == own.steps ? "Yes, at every layer and step"
                             : own.below == 0       ? "No, at no layer and step"
                                                    : "At some layers and steps";
  return fmt::format(
      "Is PowerNorm smoother than BatchNorm here? {}: its Lipschitz constant, of the psi that "
      "divides, is below BatchNorm's at {}, each on the activations of its own run. On the same "
      "activations gamma/psi of the batch is never above gamma/sigma.",
      answer, own.text());
}

}  // namespace normproof::verification::cli::study
