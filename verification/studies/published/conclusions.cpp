#include "verification/studies/published/conclusions.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "ref/numeric/errors.hpp"
#include "verification/studies/published/published.hpp"
#include "verification/studies/published/rate_statements.hpp"

namespace normproof::verification::studies::published {

namespace {

using Decision = std::optional<bool>;

constexpr double kPeakFactor = 1.25;
constexpr std::size_t kPeakNeighbors = 3;
constexpr const char* kLayerNorm = "layer_norm";
constexpr const char* kBatchNorm = "batch_norm";
constexpr const char* kNone = "none";

Cell with_norm(const Condition& condition, const std::string& norm) {
  Cell cell;
  cell.protocol = condition.protocol;
  cell.padding = condition.padding;
  cell.norm = norm;
  return cell;
}

/// Considers the training runs for which `is_kind` is true. Returns the largest width of their
/// models, and the largest number of steps among the runs with this width.
std::optional<std::pair<std::size_t, std::size_t>> widest_model_shape(
    const Results& results, const Condition& condition,
    const std::function<bool(const Cell&)>& is_kind) {
  std::optional<std::pair<std::size_t, std::size_t>> largest;
  for (const auto& [name, finished] : results) {
    const Cell& cell = finished.cell;
    if (Condition{cell.protocol, cell.padding} == condition && is_kind(cell))
      largest = std::max(largest, std::optional(std::pair(cell.d_ff, cell.steps)));
  }
  return largest;
}

/// Combines the decisions of all seeds into one finding.
Finding combine_decisions_of_seeds(const std::vector<std::pair<std::string, Decision>>& answers) {
  Finding finding;
  std::size_t yes = 0, no = 0;
  for (const auto& [numbers, answer] : answers) {
    if (!answer) continue;
    (*answer ? yes : no) += 1;
    if (!numbers.empty())
      finding.numbers += fmt::format("{}{}", finding.numbers.empty() ? "" : "; ", numbers);
  }
  if (yes + no == 0) return {};
  finding.verdict = no == 0 ? Verdict::holds : yes == 0 ? Verdict::fails : Verdict::unsettled;
  return finding;
}

/// The seeds and learning rates that occur in the tables of a condition.
struct TableSeedsAndRates {
  std::set<std::uint64_t> seeds;
  std::set<std::string> rates;
};

TableSeedsAndRates find_table_seeds_and_rates(const Results& results, const Condition& condition) {
  TableSeedsAndRates extent;
  for (const auto& [name, finished] : results) {
    const Cell& cell = finished.cell;
    if (!(Condition{cell.protocol, cell.padding} == condition) ||
        !report_place(cell).starts_with("table"))
      continue;
    extent.seeds.insert(cell.seed);
    extent.rates.insert(cell.learning_rate);
  }
  return extent;
}

Finding judge_rates(const Results& results, const Condition& condition,
                    const std::function<RateDecision(const RatesRun&)>& answer) {
  std::vector<std::pair<std::string, Decision>> answers;
  const TableSeedsAndRates extent = find_table_seeds_and_rates(results, condition);
  for (const std::uint64_t seed : extent.seeds) {
    const auto converges = [&](const TableShape& shape, const std::string& norm,
                               const std::string& rate) -> Decision {
      Cell cell = with_norm(condition, norm);
      cell.seed = seed;
      const auto found = results.find(cell_name(table_cell(cell, shape, rate)));
      return found == results.end() ? Decision() : converged(found->second.result);
    };
    const RateDecision found = answer({converges, extent.rates});
    answers.emplace_back(fmt::format("seed {}: {}", seed, found.numbers), found.holds);
  }
  return combine_decisions_of_seeds(answers);
}

Finding judge_peaks(const Results& results, const Condition& condition) {
  std::vector<std::pair<std::string, Decision>> answers;
  for (const FinishedRun* run : find_curve_runs(results, condition, kBatchNorm)) {
    const std::vector<std::size_t> peaks = find_loss_peaks(run->result);
    // A run that diverged has fewer steps than requested.
    const bool too_short = peaks.empty() && run->result.steps.size() < kStudySteps;
    answers.emplace_back(
        fmt::format("seed {}: {}", run->cell.seed,
                    peaks.empty() ? fmt::format("no peak until step {}", run->result.steps.size())
                                  : fmt::format("peaks at {}", fmt::join(peaks, ", "))),
        too_short ? Decision() : Decision(!peaks.empty()));
  }
  return combine_decisions_of_seeds(answers);
}

/// Whether run `a` has a smaller mean of a quantity over its steps than run `b`. Returns nothing if
/// a step lacks the quantity, or if the runs have different numbers of steps.
Decision has_smaller_mean(const CellResult& a, const CellResult& b,
                          const std::optional<double> StepResult::*quantity, std::string& numbers) {
  double sums[2] = {0, 0};
  const CellResult* const cells[2] = {&a, &b};
  if (a.steps.empty() || a.steps.size() != b.steps.size()) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const StepResult& step : cells[i]->steps) {
      if (!(step.*quantity)) return std::nullopt;
      sums[i] += *(step.*quantity);
    }
    sums[i] /= static_cast<double>(cells[i]->steps.size());
  }
  numbers += fmt::format("{:.3g} against {:.3g}", sums[0], sums[1]);
  return sums[0] < sums[1];
}

Finding judge_smaller_mean(const Results& results, const Condition& condition,
                           const std::optional<double> StepResult::*quantity) {
  std::vector<std::pair<std::string, Decision>> answers;
  for (const FinishedRun* batch_norm : find_curve_runs(results, condition, kBatchNorm))
    for (const FinishedRun* layer_norm : find_curve_runs(results, condition, kLayerNorm)) {
      const bool comparable = batch_norm->cell.seed == layer_norm->cell.seed &&
                              batch_norm->cell.steps == layer_norm->cell.steps;
      if (!comparable) continue;
      std::string numbers = fmt::format("seed {}: ", batch_norm->cell.seed);
      const Decision answer =
          has_smaller_mean(batch_norm->result, layer_norm->result, quantity, numbers);
      answers.emplace_back(numbers, answer);
    }
  return combine_decisions_of_seeds(answers);
}

/// Returns the ratio of the maximum to the minimum of the values. It is infinite if the minimum is
/// 0.
double max_to_min_ratio(const std::vector<double>& values) {
  const auto [least, largest] = std::ranges::minmax(values);
  return least > 0 ? largest / least : std::numeric_limits<double>::infinity();
}

/// Returns the gradient norms of the weight of the second feed-forward product, one per layer.
std::vector<double> second_feed_forward_norms(const CellResult& cell) {
  std::vector<double> norms;
  for (const auto& [tensor, norm] : cell.initial_gradients)
    if (tensor.ends_with("feed_forward.second.weight")) norms.push_back(norm);
  return norms;
}

Finding judge_steadier_norm(const Results& results, const Condition& condition,
                            const std::string& other) {
  std::vector<double> own_mean(5), other_mean(5);
  std::size_t seeds = 0, yes = 0;
  const auto others = find_gradient_runs(results, condition, other, 5);
  for (const FinishedRun* own : find_gradient_runs(results, condition, kLayerNorm, 5)) {
    const auto same_seed = [&](const FinishedRun* f) { return f->cell.seed == own->cell.seed; };
    const auto match = std::ranges::find_if(others, same_seed);
    if (match == others.end()) continue;
    const std::vector<double> a = second_feed_forward_norms(own->result),
                              b = second_feed_forward_norms((*match)->result);
    if (a.size() != own_mean.size() || b.size() != other_mean.size()) continue;
    ++seeds;
    yes += max_to_min_ratio(a) < max_to_min_ratio(b) ? 1 : 0;
    for (std::size_t l = 0; l < own_mean.size(); ++l) {
      own_mean[l] += a[l];
      other_mean[l] += b[l];
    }
  }
  if (seeds == 0) return {};
  const double own_ratio = max_to_min_ratio(own_mean), other_ratio = max_to_min_ratio(other_mean);
  const bool holds = own_ratio < other_ratio;
  const bool settled = 100 * (holds ? yes : seeds - yes) >= 95 * seeds;
  return {!settled ? Verdict::unsettled
          : holds  ? Verdict::holds
                   : Verdict::fails,
          fmt::format("largest over smallest of five layers: {:.3g} against {:.3g}; smaller by "
                      "seed: {} of {}",
                      own_ratio, other_ratio, yes, seeds)};
}

RatesRun published_tables() {
  return {[](const TableShape& shape, const std::string& norm, const std::string& rate) {
            return published_outcome(shape.number, norm, rate);
          },
          {study_rates().begin(), study_rates().end()}};
}

Finding make_published_rates_finding(const RateDecision& answer) {
  return combine_decisions_of_seeds({{answer.numbers, answer.holds}});
}

/// Decides whether the maximum of batch_norm is smaller than the maximum of layer_norm. The maxima
/// are taken over the values that were read off a figure of the paper.
Finding has_smaller_published_maximum(std::size_t figure) {
  const auto largest = [&](const char* norm) {
    double most = 0;
    for (const auto& [step, value] : published_points(figure, norm)) most = std::max(most, value);
    return most;
  };
  const double own = largest(kBatchNorm), other = largest(kLayerNorm);
  return {own < other ? Verdict::holds : Verdict::fails,
          fmt::format("largest read off: {:.3g} against {:.3g}", own, other)};
}

Finding published_steadier_norm(const std::string& other) {
  const double own_ratio = max_to_min_ratio(published_deep_gradients(kLayerNorm));
  const double other_ratio = max_to_min_ratio(published_deep_gradients(other));
  return {own_ratio < other_ratio ? Verdict::holds : Verdict::fails,
          fmt::format("largest over smallest of five layers: {:.3g} against {:.3g}", own_ratio,
                      other_ratio)};
}

}  // namespace

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "does not";
    case Verdict::unsettled:
      return "unsettled";
    case Verdict::not_run:
      break;
  }
  return "not run";
}

const std::vector<Statement>& statements() {
  static const std::string rates =
      "over the rates run, its highest converging rate is lower in no table and higher in one at "
      "least; not run while cells that are missing of a table begun may decide it, or, of equal "
      "ones, a table";
  static const std::string means =
      "the mean over the steps of BatchNorm's curve is smaller; of the published curves the "
      "largest "
      "value that was read off";
  static const std::string ratio =
      "the gradient by the second feed-forward weight, of five layers at the initial state: the "
      "largest over the smallest is smaller";
  static const std::vector<Statement> all = {
      {"a1", "LayerNorm trains at higher rates than BatchNorm", rates},
      {"a2", "LayerNorm trains at higher rates than no normalization", rates},
      {"b", "BatchNorm's loss has peaks",
       "in the curve of figure 4 a step but the first has a loss above 1.25 times each of the "
       "three before and the three after; a run of fewer than 87 steps without one says nothing"},
      {"c1", "BatchNorm's loss has a smaller Lipschitz constant than LayerNorm's", means},
      {"c2", "BatchNorm's loss is smoother than LayerNorm's", means},
      {"d", "Without normalization deep models fail",
       "at 5 layers the highest converging rate without norm is below LayerNorm's, and below that "
       "without norm at 1 layer, at every width run; not run while cells that are missing of a "
       "table "
       "begun may decide it"},
      {"e1", "LayerNorm's gradients are steadier across depth than BatchNorm's", ratio},
      {"e2", "LayerNorm's gradients are steadier across depth than those without norm", ratio}};
  return all;
}

Finding find(const std::string& id, const Results& results, const Condition& condition) {
  const auto rates_beside = [&](const char* other) {
    return judge_rates(results, condition, [other](const RatesRun& rates) {
      return converges_at_higher_rates(rates, kLayerNorm, other);
    });
  };
  if (id == "a1") return rates_beside(kBatchNorm);
  if (id == "a2") return rates_beside(kNone);
  if (id == "b") return judge_peaks(results, condition);
  if (id == "c1") return judge_smaller_mean(results, condition, &StepResult::lipschitz);
  if (id == "c2") return judge_smaller_mean(results, condition, &StepResult::smoothness);
  if (id == "d") return judge_rates(results, condition, deep_needs_lower_rates);
  if (id == "e1") return judge_steadier_norm(results, condition, kBatchNorm);
  if (id == "e2") return judge_steadier_norm(results, condition, kNone);
  ref::numeric::contract_failure("find", "id", fmt::format("is '{}'", id), "one of statements()",
                                 ref::numeric::Clause::C1);
}

Finding find_published_finding(const std::string& id) {
  if (id == "a1")
    return make_published_rates_finding(
        converges_at_higher_rates(published_tables(), kLayerNorm, kBatchNorm));
  if (id == "a2")
    return make_published_rates_finding(
        converges_at_higher_rates(published_tables(), kLayerNorm, kNone));
  if (id == "b")
    return {Verdict::holds, fmt::format("peaks at {}", fmt::join(published_peaks, ", "))};
  if (id == "c1") return has_smaller_published_maximum(5);
  if (id == "c2") return has_smaller_published_maximum(6);
  if (id == "d") return make_published_rates_finding(deep_needs_lower_rates(published_tables()));
  if (id == "e1") return published_steadier_norm(kBatchNorm);
  if (id == "e2") return published_steadier_norm(kNone);
  ref::numeric::contract_failure("find_published_finding", "id", fmt::format("is '{}'", id),
                                 "one of statements()", ref::numeric::Clause::C1);
}

std::vector<std::size_t> find_loss_peaks(const CellResult& cell) {
  std::vector<std::size_t> peaks;
  const auto& steps = cell.steps;
  for (std::size_t i = 1; i + kPeakNeighbors < steps.size(); ++i) {
    double most = 0;
    for (std::size_t k = i - std::min(i, kPeakNeighbors); k <= i + kPeakNeighbors; ++k)
      if (k != i) most = std::max(most, steps[k].loss);
    if (steps[i].loss > kPeakFactor * most) peaks.push_back(i + 1);
  }
  return peaks;
}

std::vector<const FinishedRun*> find_curve_runs(const Results& results, const Condition& condition,
                                                const std::string& norm) {
  const auto shape = widest_model_shape(
      results, condition, [](const Cell& cell) { return cell.curves && cell.layers == 1; });
  if (!shape) return {};
  return map_runs_by_seed(results,
                          curves_cell(with_norm(condition, norm), shape->second, shape->first));
}

std::vector<const FinishedRun*> find_gradient_runs(const Results& results,
                                                   const Condition& condition,
                                                   const std::string& norm, std::size_t layers) {
  const auto shape = widest_model_shape(results, condition, [&](const Cell& cell) {
    return cell.steps == 0 && cell.layers == layers;
  });
  if (!shape) return {};
  return map_runs_by_seed(results,
                          gradients_cell(with_norm(condition, norm), layers, shape->first));
}

}  // namespace normproof::verification::studies::published
