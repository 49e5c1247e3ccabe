#include "verification/cli/study/study_language_statistics.hpp"

#include <map>
#include <optional>

#include "verification/studies/language/choice.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using studies::language::Condition;
using studies::language::FinishedRun;

namespace {

/// Returns the mean of `f(result)` over the results of the tests. A test for which `f` returns
/// nothing is skipped. Returns nothing if no test remains.
template <class F>
std::optional<double> mean_over_tests(const std::vector<const FinishedRun*>& tests, const F& f) {
  double sum = 0;
  std::size_t count = 0;
  for (const FinishedRun* test : tests)
    if (const std::optional<double> value = f(test->result)) {
      sum += *value;
      ++count;
    }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

}  // namespace

support::report::Table fluctuation_table(const studies::language::Results& results,
                                         const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      "Batch statistics beside the running ones: ||batch - running|| / ||scale||, the mean over "
      "the steps after the warm-up and over the seeds",
      {"norm", "layer", "statistic"}, {"fluctuation"});
  for (const std::string& norm : studies::language::study_norms(condition.task)) {
    const auto tests = find_tests_at_chosen_rate(results, condition, norm);
    if (tests.empty()) continue;
    for (const studies::language::NormLayerFluctuation& site : tests.front()->result.fluctuation)
      table.rows.push_back(
          {{{norm},
            {site.site},
            {site.statistic},
            {support::report::decimals(
                mean_over_tests(
                    tests,
                    [&](const studies::language::CellResult& result) -> std::optional<double> {
                      for (const auto& own : result.fluctuation)
                        if (own.site == site.site && own.statistic == site.statistic)
                          return own.mean;
                      return std::nullopt;
                    }),
                4)}}});
  }
  return table;
}

support::report::Table gamma_table(const studies::language::Results& results,
                                   const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      "The largest (1 - alpha) Gamma over the steps, the layers and the channels: below 1 the "
      "theorem on nu bounds it",
      {"norm"}, {"mean over the seeds"});
  for (const std::string& norm : studies::language::study_norms(condition.task))
    if (const auto mean = mean_over_tests(
            find_tests_at_chosen_rate(results, condition, norm),
            [](const studies::language::CellResult& result) { return result.max_weighted_gamma; }))
      table.rows.push_back({{{norm}, {support::report::decimals(mean, 4)}}});
  return table;
}

support::report::Table norm_input_table(const studies::language::Results& results,
                                        const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      "What every norm layer takes: batch statistics beside a running mean of theirs with 0.9 for "
      "the older ones, ||batch - running|| / ||scale||, the mean over the steps after the warm-up, "
      "seed 1; the scale is the running one, of a mean the root of the running variance",
      {"norm", "layer"}, {"mean", "variance", "quadratic mean"});
  for (const std::string& norm : studies::language::study_norms(condition.task)) {
    const FinishedRun* const traced = find_dynamics(results, condition, norm);
    if (traced == nullptr) continue;
    std::map<std::string, std::map<std::string, std::optional<double>>> sites;
    for (const studies::language::NormLayerFluctuation& own : traced->result.fluctuation)
      sites[own.site][own.statistic] = own.mean;
    for (auto& [site, statistics] : sites)
      table.rows.push_back({{{norm},
                             {site},
                             {support::report::decimals(statistics["mean"], 4)},
                             {support::report::decimals(statistics["variance"], 4)},
                             {support::report::decimals(statistics["quadratic_mean"], 4)}}});
  }
  return table;
}

support::report::Table bound_table(const studies::language::Results& results,
                                   const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      "The share of its bound that PowerNorm's gradient before the division by psi comes to: the "
      "mean over the run and the largest of a step, of the channel in which it is largest, and the "
      "least share of the channels in which the bound's premises hold, seed 1",
      {"norm", "layer"}, {"mean share", "largest share", "channels"});
  for (const std::string& norm : studies::language::study_norms(condition.task)) {
    const FinishedRun* const traced = find_dynamics(results, condition, norm);
    if (traced == nullptr) continue;
    for (const studies::language::NormLayerGradientBound& own : traced->result.gradient_bound)
      table.rows.push_back(
          {{{norm},
            {own.site},
            {support::report::decimals(studies::language::mean_of_present(own.pieces), 4)},
            {support::report::decimals(own.largest, 4)},
            {support::report::percent(own.channels)}}});
  }
  return table;
}

}  // namespace normproof::verification::cli::study
