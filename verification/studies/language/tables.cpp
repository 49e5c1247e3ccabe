#include "verification/studies/language/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ref/io/sha256.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/elementary.hpp"
#include "verification/studies/language/choice.hpp"
#include "verification/studies/published/read_finished.hpp"

namespace normproof::verification::studies::language {

using ref::model::NormPlacement;

namespace {

std::optional<double> mean_of_present(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

QuantitySummary summarize_quantity(const Results& results, const Condition& condition,
                                   const std::string& norm,
                                   const std::vector<const FinishedRun*>& tests,
                                   const Quantity& quantity) {
  std::vector<double> values;
  for (const FinishedRun* test : tests)
    if (const auto value = quantity(test->result)) values.push_back(*value);
  QuantitySummary own{mean_of_present(values)};
  if (!values.empty()) {
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    own.least = *least;
    own.largest = *largest;
  }
  if (norm != reference_norm())
    own.beside_layer_norm = student_interval(
        pair_seeds(results, condition, norm, reference_norm(), quantity).differences);
  return own;
}

std::optional<double> bits_per_character(const CellResult& result) {
  if (result.diverged || !result.test_loss) return std::nullopt;
  return *result.test_loss / ref::numeric::log(2.0);
}

Row norm_row(const Results& results, const Condition& condition, const std::string& norm,
             std::vector<const FinishedRun*> tests) {
  Row row{norm, tests.front()->cell.learning_rate, std::move(tests)};
  row.diverged = static_cast<std::size_t>(std::ranges::count_if(
      row.tests, [](const FinishedRun* test) { return !test_perplexity(test->result); }));
  row.perplexity = summarize_quantity(results, condition, norm, row.tests, test_perplexity);
  if (condition.task == training::Task::language)
    row.bits_per_character =
        summarize_quantity(results, condition, norm, row.tests, bits_per_character).mean;
  row.bleu = summarize_quantity(results, condition, norm, row.tests, test_bleu);
  return row;
}

}  // namespace

Results read_results(const std::map<std::string, std::string>& lines, const std::string& file) {
  return studies::published::read_finished_runs<FinishedRun>(lines, file, parse_cell, parse_result);
}

std::string results_sha256(const std::map<std::string, std::string>& lines) {
  std::string text;
  for (const auto& [name, line] : lines) text += fmt::format("{}\n", line);
  return ref::io::sha256(text);
}

std::string condition_name(const Condition& condition) {
  return fmt::format("{}, {}-norm{}", ref::model::print_field(condition.task),
                     ref::model::print_field(condition.placement),
                     condition.size == Size::quick ? ", quick" : "");
}

std::vector<Condition> list_conditions(const Results& results) {
  std::vector<Condition> conditions;
  const auto add = [&](const Condition& condition) {
    const bool has_one = std::ranges::any_of(results, [&](const auto& named) {
      const Cell& cell = named.second.cell;
      return Condition{cell.task, cell.placement, cell.size} == condition;
    });
    if (has_one) conditions.push_back(condition);
  };
  for (const training::Task task : study_tasks())
    for (const Size size : {Size::whole, Size::quick})
      for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre})
        add({task, placement, size});
  return conditions;
}

Cell cell_of(const Condition& condition, const std::string& norm, const std::string& rate,
             std::uint64_t seed, RunPurpose purpose) {
  return {.task = condition.task,
          .placement = condition.placement,
          .norm = norm,
          .learning_rate = rate,
          .seed = seed,
          .size = condition.size,
          .purpose = purpose};
}

Cell dynamics_cell(const Condition& condition, const std::string& norm, const std::string& rate) {
  return cell_of(condition, norm, rate, 1, RunPurpose::dynamics);
}

std::vector<const FinishedRun*> find_tests_at_chosen_rate(const Results& results,
                                                          const Condition& condition,
                                                          const std::string& norm) {
  std::vector<const FinishedRun*> tests;
  const auto rate = chosen_rate(results, condition, norm);
  if (!rate) return tests;
  for (const auto& [name, finished] : results)
    if (finished.cell == cell_of(condition, norm, *rate, finished.cell.seed, RunPurpose::test))
      tests.push_back(&finished);
  std::ranges::sort(tests, {}, [](const FinishedRun* test) { return test->cell.seed; });
  return tests;
}

const FinishedRun* find_dynamics(const Results& results, const Condition& condition,
                                 const std::string& norm) {
  const auto rate = chosen_rate(results, condition, norm);
  if (!rate) return nullptr;
  const auto found = results.find(cell_name(dynamics_cell(condition, norm, *rate)));
  return found == results.end() ? nullptr : &found->second;
}

std::optional<double> test_perplexity(const CellResult& result) {
  if (result.diverged || !result.test_loss) return std::nullopt;
  return ref::numeric::exp(*result.test_loss);
}

std::optional<double> validation_perplexity(const CellResult& result) {
  const auto loss = result.last_validation_loss();
  return loss ? std::optional(ref::numeric::exp(*loss)) : std::nullopt;
}

std::optional<double> test_bleu(const CellResult& result) {
  return result.diverged ? std::nullopt : result.test_bleu;
}

std::optional<double> validation_bleu(const CellResult& result) {
  return result.last_validation_bleu();
}

PairedDifferences pair_seeds(const Results& results, const Condition& condition,
                             const std::string& first, const std::string& second,
                             const Quantity& quantity) {
  return pair_seeds(results, condition, first, quantity, second, quantity);
}

PairedDifferences pair_seeds(const Results& results, const Condition& condition,
                             const std::string& first, const Quantity& of_first,
                             const std::string& second, const Quantity& of_second) {
  PairedDifferences paired;
  const auto others = find_tests_at_chosen_rate(results, condition, second);
  for (const FinishedRun* own : find_tests_at_chosen_rate(results, condition, first)) {
    const auto other = std::ranges::find(others, own->cell.seed,
                                         [](const FinishedRun* test) { return test->cell.seed; });
    if (other == others.end()) continue;
    const auto a = of_first(own->result), b = of_second((*other)->result);
    if (a && b) paired.differences.push_back(*a - *b);
    if (a && !b) ++paired.first_only;
    if (!a && b) ++paired.second_only;
  }
  return paired;
}

std::vector<Row> condition_rows(const Results& results, const Condition& condition) {
  std::vector<Row> rows;
  for (const std::string& norm : study_norms(condition.task))
    if (auto tests = find_tests_at_chosen_rate(results, condition, norm); !tests.empty())
      rows.push_back(norm_row(results, condition, norm, std::move(tests)));
  return rows;
}

std::optional<double> mean_of_present(const Series& series) {
  std::vector<double> values;
  for (const auto& number : series)
    if (number) values.push_back(*number);
  return mean_of_present(values);
}

std::optional<double> mean_fluctuation(const CellResult& result, const std::string& statistic) {
  std::vector<double> means;
  for (const NormLayerFluctuation& own : result.fluctuation)
    if (own.statistic == statistic && own.mean) means.push_back(*own.mean);
  return mean_of_present(means);
}

}  // namespace normproof::verification::studies::language
