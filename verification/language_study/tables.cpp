#include "verification/language_study/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ref/io/sha256.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/elementary.hpp"
#include "verification/language_study/choice.hpp"
#include "verification/study/read_finished.hpp"

namespace normproof::verification::language_study {

using ref::model::NormPlacement;

namespace {

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Row row_of(const Results& results, const Condition& condition, const std::string& norm,
           std::vector<const Finished*> tests) {
  Row row{norm, tests.front()->cell.learning_rate, std::move(tests)};
  std::vector<double> perplexities, bits;
  for (const Finished* test : row.tests) {
    const auto perplexity = test_perplexity(test->result);
    if (!perplexity) {
      ++row.diverged;
      continue;
    }
    perplexities.push_back(*perplexity);
    bits.push_back(*test->result.test_loss / ref::numeric::log(2.0));
  }
  row.perplexity = mean_of(perplexities);
  row.bits_per_character = mean_of(bits);
  if (!perplexities.empty()) {
    const auto [least, largest] = std::minmax_element(perplexities.begin(), perplexities.end());
    row.least = *least;
    row.largest = *largest;
  }
  if (norm != reference_norm())
    row.beside_layer_norm = student_interval(
        paired_seeds(results, condition, norm, reference_norm(), test_perplexity).differences);
  return row;
}

}  // namespace

Results read_results(const std::map<std::string, std::string>& lines, const std::string& file) {
  return study::read_finished<Finished>(lines, file, parse_cell, parse_result);
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

std::vector<Condition> conditions_of(const Results& results) {
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
             std::uint64_t seed, bool test) {
  return {.task = condition.task,
          .placement = condition.placement,
          .norm = norm,
          .learning_rate = rate,
          .seed = seed,
          .size = condition.size,
          .test = test};
}

std::vector<const Finished*> tests_of(const Results& results, const Condition& condition,
                                      const std::string& norm) {
  std::vector<const Finished*> tests;
  const auto rate = chosen_rate(results, condition, norm);
  if (!rate) return tests;
  for (const auto& [name, finished] : results)
    if (finished.cell == cell_of(condition, norm, *rate, finished.cell.seed, true))
      tests.push_back(&finished);
  std::ranges::sort(tests, {}, [](const Finished* test) { return test->cell.seed; });
  return tests;
}

std::optional<double> test_perplexity(const CellResult& result) {
  if (result.diverged || !result.test_loss) return std::nullopt;
  return ref::numeric::exp(*result.test_loss);
}

std::optional<double> validation_perplexity(const CellResult& result) {
  const auto loss = result.last_validation_loss();
  return loss ? std::optional(ref::numeric::exp(*loss)) : std::nullopt;
}

Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const std::string& second, const Quantity& quantity) {
  return paired_seeds(results, condition, first, quantity, second, quantity);
}

Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const Quantity& of_first, const std::string& second,
                    const Quantity& of_second) {
  Paired paired;
  const auto others = tests_of(results, condition, second);
  for (const Finished* own : tests_of(results, condition, first)) {
    const auto other = std::ranges::find(others, own->cell.seed,
                                         [](const Finished* test) { return test->cell.seed; });
    if (other == others.end()) continue;
    const auto a = of_first(own->result), b = of_second((*other)->result);
    if (a && b) paired.differences.push_back(*a - *b);
    if (a && !b) ++paired.first_alone;
    if (!a && b) ++paired.second_alone;
  }
  return paired;
}

std::vector<Row> rows_of(const Results& results, const Condition& condition) {
  std::vector<Row> rows;
  for (const std::string& norm : study_norms())
    if (auto tests = tests_of(results, condition, norm); !tests.empty())
      rows.push_back(row_of(results, condition, norm, std::move(tests)));
  return rows;
}

std::optional<double> mean_fluctuation(const CellResult& result, const std::string& statistic) {
  std::vector<double> means;
  for (const SiteFluctuation& own : result.fluctuation)
    if (own.statistic == statistic && own.mean) means.push_back(*own.mean);
  return mean_of(means);
}

}  // namespace normproof::verification::language_study
