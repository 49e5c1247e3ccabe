#include "verification/studies/language/conclusions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::language {

using studies::published::Finding;
using studies::published::Verdict;

namespace {

constexpr const char* kRule =
    "the 95 % interval of the paired difference over seeds is all on this side; refuted where it "
    "is all on the other";

/// Judges whether the differences between two norms are above 0. There is one difference per seed.
/// A seed has no difference if one of its two training runs diverged and the other run did not.
/// Such a seed counts in `for_it` or in `against_it`.
Finding judge(const std::vector<double>& differences, std::size_t for_it, std::size_t against_it,
              const std::string& what) {
  const std::size_t seeds = differences.size() + for_it + against_it;
  if (seeds < 2) return {};
  const auto interval = student_interval(differences);
  std::string numbers =
      interval ? fmt::format("{}: {:+.3g} [{:+.3g}, {:+.3g}] over {} seeds", what, interval->mean,
                             interval->low, interval->high, interval->count)
               : fmt::format("{}: {} seeds", what, seeds);
  if (for_it + against_it > 0) {
    const auto positive = static_cast<std::size_t>(
        std::ranges::count_if(differences, [](double d) { return d > 0; }));
    numbers += fmt::format("; at {} of {} seeds one alone diverged", for_it + against_it, seeds);
    if (positive + for_it == seeds) return {Verdict::holds, numbers};
    const auto negative = static_cast<std::size_t>(
        std::ranges::count_if(differences, [](double d) { return d < 0; }));
    return {negative + against_it == seeds ? Verdict::fails : Verdict::unsettled, numbers};
  }
  if (interval->low > 0) return {Verdict::holds, numbers};
  return {interval->high < 0 ? Verdict::fails : Verdict::unsettled, numbers};
}

/// Judges whether the norm `above` has a higher test BLEU than the norm `below`.
Finding judge_bleu(const Results& results, const Condition& condition, const std::string& above,
                   const std::string& below) {
  const PairedDifferences paired = pair_seeds(results, condition, above, below, test_bleu);
  return judge(paired.differences, paired.first_only, paired.second_only,
               fmt::format("test BLEU of {} less that of {}", above, below));
}

/// Judges whether the norm `above` has a higher test perplexity than the norm `below`.
Finding judge_perplexity(const Results& results, const Condition& condition,
                         const std::string& above, const std::string& below) {
  const PairedDifferences paired = pair_seeds(results, condition, above, below, test_perplexity);
  // A diverged run counts as a run with infinite perplexity.
  return judge(paired.differences, paired.second_only, paired.first_only,
               fmt::format("test perplexity of {} less that of {}", above, below));
}

Quantity fluctuation_quantity(const std::string& statistic) {
  return [statistic](const CellResult& result) {
    return result.diverged ? std::nullopt : mean_fluctuation(result, statistic);
  };
}

}  // namespace

const std::vector<studies::published::Statement>& statements(training::Task task) {
  static const std::vector<studies::published::Statement> of_perplexity = {
      {"p1", "PowerNorm's test perplexity is below LayerNorm's", kRule},
      {"p2", "BatchNorm's test perplexity is above LayerNorm's", kRule},
      {"p3",
       "BatchNorm's batch variance fluctuates more about its running value than PowerNorm's "
       "quadratic mean",
       kRule}};
  static const std::vector<studies::published::Statement> of_bleu_too = [] {
    std::vector<studies::published::Statement> all = of_perplexity;
    all.push_back({"b1", "PowerNorm's test BLEU is above LayerNorm's", kRule});
    all.push_back({"b2", "BatchNorm's test BLEU is below LayerNorm's", kRule});
    all.push_back(
        {"b3",
         "The test BLEU of the released PowerNorm in the encoder, LayerNorm in the decoder, is "
         "above LayerNorm's",
         kRule});
    return all;
  }();
  return task == training::Task::translate ? of_bleu_too : of_perplexity;
}

Finding find(const std::string& id, const Results& results, const Condition& condition) {
  if (std::ranges::find(statements(condition.task), id, &studies::published::Statement::id) ==
      statements(condition.task).end())
    ref::numeric::contract_failure("find", "id", fmt::format("is '{}'", id),
                                   "one of statements(condition.task)", ref::numeric::Clause::C1);
  if (id == "b1") return judge_bleu(results, condition, "power_norm", "layer_norm");
  if (id == "b2") return judge_bleu(results, condition, "layer_norm", "batch_norm");
  if (id == "b3") return judge_bleu(results, condition, kReleasedPlacement, "layer_norm");
  if (id == "p1") return judge_perplexity(results, condition, "layer_norm", "power_norm");
  if (id == "p2") return judge_perplexity(results, condition, "batch_norm", "layer_norm");
  const PairedDifferences paired =
      pair_seeds(results, condition, "batch_norm", fluctuation_quantity("variance"), "power_norm",
                 fluctuation_quantity("quadratic_mean"));
  return judge(paired.differences, 0, 0,
               "relative fluctuation of BatchNorm's variance less that of PowerNorm's quadratic "
               "mean");
}

}  // namespace normproof::verification::studies::language
