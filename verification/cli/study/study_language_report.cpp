#include "verification/cli/study/study_language_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verification/cli/study/study_language_figures.hpp"
#include "verification/cli/study/study_language_statistics.hpp"
#include "verification/cli/study/study_report.hpp"
#include "verification/studies/language/choice.hpp"
#include "verification/studies/language/conclusions.hpp"
#include "verification/studies/language/power.hpp"
#include "verification/support/report/text.hpp"
#include "verification/training/norm_statistics.hpp"

namespace normproof::verification::cli::study {

using studies::language::Condition;
using studies::language::FinishedRun;
using support::report::plural;

namespace {

/// Returns the confidence interval of a paired difference as text. The text also states the number
/// of seeds if this number differs from the argument `seeds`.
std::string interval_text(const std::optional<studies::language::ConfidenceInterval>& interval,
                          std::size_t seeds) {
  if (!interval) return support::report::kNoNumber;
  return fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]{}", interval->mean, interval->low, interval->high,
                     interval->count == seeds ? "" : fmt::format(" over {}", interval->count));
}

bool is_translation(const Condition& condition) {
  return condition.task == training::Task::translate;
}

/// Returns the published differences between PowerNorm and LayerNorm as text. Returns kNoNumber for
/// a norm that has no moving average nu.
std::string published_text(const std::string& norm, const Condition& condition) {
  if (!training::new_weight(
          ref::model::norm_options(studies::language::split_norms_by_side(norm).first)))
    return support::report::kNoNumber;
  if (is_translation(condition))
    return fmt::format("{:+.1f} (IWSLT14), {:+.1f} (WMT14)", studies::language::kPublishedIwslt,
                       studies::language::kPublishedWmt);
  return fmt::format("{:+.1f} (PTB), {:+.1f} (WikiText-103)", studies::language::kPublishedPtb,
                     studies::language::kPublishedWikiText);
}

constexpr const char* kTestCaption =
    "The test part, at the chosen rates: means over the seeds that stayed finite";

support::report::Table translation_test_table(const studies::language::Results& results,
                                              const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      kTestCaption, {"norm", "rate"},
      {"seeds", "diverged", "BLEU", "least", "largest", "BLEU less layer_norm's [95 %]",
       "published, other data and sizes", "perplexity", "perplexity less layer_norm's [95 %]"});
  for (const studies::language::Row& row : condition_rows(results, condition))
    table.rows.push_back({{{row.norm},
                           {row.rate},
                           {fmt::format("{}", row.tests.size())},
                           {fmt::format("{}", row.diverged)},
                           {support::report::decimals(row.bleu.mean, 2)},
                           {support::report::decimals(row.bleu.least, 2)},
                           {support::report::decimals(row.bleu.largest, 2)},
                           {interval_text(row.bleu.beside_layer_norm, row.tests.size())},
                           {published_text(row.norm, condition)},
                           {support::report::decimals(row.perplexity.mean, 4)},
                           {interval_text(row.perplexity.beside_layer_norm, row.tests.size())}}});
  return table;
}

support::report::Table test_table(const studies::language::Results& results,
                                  const Condition& condition) {
  if (is_translation(condition)) return translation_test_table(results, condition);
  support::report::Table table = support::report::numbers_table(
      kTestCaption, {"norm", "rate"},
      {"seeds", "diverged", "perplexity", "least", "largest", "bits per character",
       "perplexity less layer_norm's [95 %]", "published, other data and sizes"});
  for (const studies::language::Row& row : condition_rows(results, condition))
    table.rows.push_back({{{row.norm},
                           {row.rate},
                           {fmt::format("{}", row.tests.size())},
                           {fmt::format("{}", row.diverged)},
                           {support::report::decimals(row.perplexity.mean, 4)},
                           {support::report::decimals(row.perplexity.least, 4)},
                           {support::report::decimals(row.perplexity.largest, 4)},
                           {support::report::decimals(row.bits_per_character, 4)},
                           {interval_text(row.perplexity.beside_layer_norm, row.tests.size())},
                           {published_text(row.norm, condition)}}});
  return table;
}

support::report::Table learning_rates_table(const studies::language::Results& results,
                                            const Condition& condition) {
  support::report::Table table = support::report::numbers_table(
      fmt::format("The mean validation loss of {}, rate by rate; > marks the rate that is chosen",
                  plural(studies::language::kRateSelectionSeeds, "seed")),
      {"norm"}, studies::language::study_rates());
  for (const std::string& norm : studies::language::study_norms(condition.task)) {
    const auto losses = collect_rate_losses(results, condition, norm);
    if (std::ranges::all_of(losses, [](const auto& rate_loss) { return rate_loss.runs == 0; }))
      continue;
    const auto chosen = chosen_rate(results, condition, norm);
    support::report::Row row{{{norm}}};
    for (const studies::language::RateLoss& rate_loss : losses) {
      const std::string loss =
          rate_loss.diverged > 0 ? fmt::format("diverged {}/{}", rate_loss.diverged, rate_loss.runs)
                                 : support::report::decimals(rate_loss.loss, 4);
      row.cells.push_back({fmt::format("{}{}", chosen == rate_loss.rate ? "> " : "", loss)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Returns a sentence that names the norms whose chosen learning rate is the lowest or the highest
/// one that was tried. The sentence is empty if there are no such norms.
std::string end_of_grid_text(const studies::language::Results& results,
                             const Condition& condition) {
  const std::vector<std::string>& rates = studies::language::study_rates();
  std::string norms;
  for (const std::string& norm : studies::language::study_norms(condition.task)) {
    const auto chosen = chosen_rate(results, condition, norm);
    if (chosen == rates.front() || chosen == rates.back())
      norms += fmt::format("{}{}", norms.empty() ? "" : ", ", norm);
  }
  if (norms.empty()) return norms;
  return fmt::format(
      "The rate chosen is the least or the largest there is of {}: a better one may lie beyond.",
      norms);
}

void add_table(support::report::Document& document, support::report::Table table) {
  if (!table.rows.empty()) document.add(std::move(table));
}

void add_language_condition(support::report::Document& document,
                            const studies::language::Results& results, const Condition& condition) {
  document.add(support::report::Heading{2, condition_name(condition)});
  add_table(document, test_table(results, condition));
  add_table(document, learning_rates_table(results, condition));
  if (const std::string text = end_of_grid_text(results, condition); !text.empty())
    document.add(support::report::Paragraph{text});
  if (auto figure = learning_figure(results, condition)) document.add(std::move(*figure));
  if (auto figure = bleu_figure(results, condition)) document.add(std::move(*figure));
  add_table(document, fluctuation_table(results, condition));
  for (support::report::Figure& figure : fluctuation_figures(results, condition))
    document.add(std::move(figure));
  add_table(document, gamma_table(results, condition));
  add_table(document, norm_input_table(results, condition));
  for (support::report::Figure& figure : norm_input_figures(results, condition))
    document.add(std::move(figure));
  add_table(document, bound_table(results, condition));
}

bool has_statement(const Condition& condition, const std::string& id) {
  const auto& all = studies::language::statements(condition.task);
  return std::ranges::find(all, id, &studies::published::Statement::id) != all.end();
}

bool has_translators(const studies::language::Results& results) {
  return std::ranges::any_of(list_conditions(results), is_translation);
}

/// Returns the statements to report. For translators, they include the statements for language
/// models.
const std::vector<studies::published::Statement>& all_statements(
    const studies::language::Results& results) {
  return studies::language::statements(has_translators(results) ? training::Task::translate
                                                                : training::Task::language);
}

void add_language_conclusions(support::report::Document& document,
                              const studies::language::Results& results) {
  document.add(support::report::Heading{2, "Conclusions"});
  support::report::Table table{"Statements by conditions",
                               support::report::text_columns({"statement"})};
  support::report::Table numbers{
      "What each verdict rests on",
      support::report::text_columns({"statement", "condition", "numbers"})};
  numbers.stacks = true;
  for (const Condition& condition : list_conditions(results))
    table.columns.push_back({condition_name(condition)});
  for (const studies::published::Statement& statement : all_statements(results)) {
    table.rows.push_back({{{.text = statement.text, .hint = statement.rule}}});
    for (const Condition& condition : list_conditions(results)) {
      if (!has_statement(condition, statement.id)) {
        table.rows.back().cells.push_back({support::report::kNoNumber});
        continue;
      }
      const studies::published::Finding finding = find(statement.id, results, condition);
      table.rows.back().cells.push_back(finding_cell(finding));
      if (!finding.numbers.empty())
        numbers.rows.push_back(
            {{{statement.text}, {condition_name(condition)}, {finding.numbers}}});
    }
  }
  document.add(std::move(table));
  add_table(document, std::move(numbers));
  document.add(support::report::Paragraph{fmt::format(
      "A statement holds where {}. A seed at which one of the two alone diverged is "
      "infinitely on the side of the other; then every seed has to say the same. The rule was "
      "stated before the cells were run.",
      all_statements(results).front().rule)});
}

void add_language_cells(support::report::Document& document,
                        const studies::language::Results& results) {
  document.add(support::report::Heading{2, "Every cell, and the command that runs it again"});
  document.add(
      support::report::Code{"normproof study run --study language --out one --cells CELL"});
  const bool has_bleu = has_translators(results);
  document.add(support::report::Paragraph{fmt::format(
      "With --data where the text is not the made-up one{}. The same hash, of the state after the "
      "last step, comes out of every machine.",
      has_bleu ? ", and --pairs, --source and --target where the pairs are not" : "")});
  std::vector<std::string> numbers = {"steps", "validation loss", "test loss"};
  if (has_bleu) numbers.insert(numbers.end(), {"validation BLEU", "test BLEU"});
  numbers.emplace_back("ending");
  support::report::Table table =
      support::report::numbers_table("Cells", {"cell", "sha256 of the last state"}, numbers);
  table.folded = true;
  for (const auto& [name, finished] : results) {
    const studies::language::CellResult& result = finished.result;
    support::report::Row row{{{name},
                              {result.sha256},
                              {fmt::format("{}", result.steps)},
                              {support::report::decimals(result.last_validation_loss(), 4)},
                              {support::report::decimals(result.test_loss, 4)}}};
    if (has_bleu) {
      row.cells.push_back({support::report::decimals(result.last_validation_bleu(), 2)});
      row.cells.push_back({support::report::decimals(result.test_bleu, 2)});
    }
    row.cells.push_back({result.diverged ? result.diverged->sentence : "finite"});
    table.rows.push_back(std::move(row));
  }
  document.add(std::move(table));
}

/// Returns the largest number of seeds with which a norm and layer_norm were both tested. If this
/// number is less than 2, returns 2.
std::size_t count_paired_seeds(const studies::language::Results& results) {
  std::size_t seeds = 2;
  for (const Condition& condition : list_conditions(results))
    for (const studies::language::Row& row : condition_rows(results, condition))
      if (const auto& interval = row.perplexity.beside_layer_norm)
        seeds = std::max(seeds, interval->count);
  return seeds;
}

support::report::Table power_table(const std::vector<studies::language::PowerRow>& rows,
                                   const std::string& in_what, std::size_t seeds,
                                   const std::string& quantity) {
  support::report::Table table = support::report::numbers_table(
      fmt::format("Which difference to layer_norm{} {} can see: found by a two-sided t test at 5 % "
                  "with probability 0.8",
                  in_what, plural(seeds, "paired seed")),
      {"condition", "norm"},
      {"pairs", "standard deviation of their differences", "detectable difference",
       fmt::format("of layer_norm's {}", quantity)});
  for (const studies::language::PowerRow& row : rows)
    table.rows.push_back({{{condition_name(row.condition)},
                           {row.norm},
                           {fmt::format("{}", row.pairs)},
                           {support::report::decimals(row.deviation, 4)},
                           {support::report::decimals(row.detectable, 4)},
                           {support::report::percent(row.detectable / row.layer_norm_mean)}}});
  return table;
}

}  // namespace

std::vector<support::report::Table> language_power_tables(const studies::language::Results& results,
                                                          std::size_t seeds) {
  std::vector<support::report::Table> tables;
  const auto add = [&](support::report::Table table) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  };
  add(power_table(power_rows(results, studies::language::validation_perplexity, seeds), "", seeds,
                  "perplexity"));
  add(power_table(power_rows(results, studies::language::validation_bleu, seeds), " in BLEU", seeds,
                  "BLEU"));
  return tables;
}

support::report::Document language_document(const studies::language::Results& results,
                                            const std::string& results_sha256) {
  const bool also_translators = has_translators(results);
  support::report::Document document{"normproof: norms of language models"};
  document.add(
      support::report::Heading{1, fmt::format("The study: norms of a causal language model{}",
                                              also_translators ? " and of a translator" : "")});
  document.add(support::report::Paragraph{
      fmt::format("{}, sha256 of all results {}. What is set beside [SYG+20] is of another "
                  "size and other data: a sign can agree, a number cannot.",
                  plural(results.size(), "cell"), results_sha256)});
  add_language_conclusions(document, results);
  for (const Condition& condition : list_conditions(results))
    add_language_condition(document, results, condition);
  document.add(support::report::Heading{2, "What the seeds can see"});
  document.add(support::report::Paragraph{fmt::format(
      "By the validation perplexities at the chosen rates. The paper's differences are {:+.1f} of "
      "PTB and {:+.1f} of WikiText-103, in perplexities of words; these are of characters{}.",
      studies::language::kPublishedPtb, studies::language::kPublishedWikiText,
      also_translators
          ? fmt::format(", or of words where sentences are translated. In BLEU the paper's are "
                        "{:+.1f} of IWSLT14 and {:+.1f} of WMT14",
                        studies::language::kPublishedIwslt, studies::language::kPublishedWmt)
          : "")});
  for (support::report::Table& table : language_power_tables(results, count_paired_seeds(results)))
    document.add(std::move(table));
  add_language_cells(document, results);
  return document;
}

nlohmann::ordered_json language_summary(const studies::language::Results& results,
                                        const std::string& results_sha256) {
  const auto or_null = [](const std::optional<double>& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json summary = {{"cells", results.size()},
                                    {"sha256", results_sha256},
                                    {"conditions", nlohmann::json::array()}};
  for (const Condition& condition : list_conditions(results)) {
    nlohmann::ordered_json entry_json = {{"condition", condition_name(condition)},
                                         {"norms", nlohmann::json::object()}};
    for (const studies::language::Row& row : condition_rows(results, condition)) {
      nlohmann::ordered_json& norm = entry_json["norms"][row.norm];
      norm = {{"rate", row.rate},
              {"seeds", row.tests.size()},
              {"diverged", row.diverged},
              {"perplexity", or_null(row.perplexity.mean)}};
      if (const auto& beside = row.perplexity.beside_layer_norm)
        norm["beside_layer_norm"] = {beside->mean, beside->low, beside->high};
      if (row.bleu.mean) norm["bleu"] = *row.bleu.mean;
      if (const auto& beside = row.bleu.beside_layer_norm)
        norm["bleu_beside_layer_norm"] = {beside->mean, beside->low, beside->high};
    }
    for (const studies::published::Statement& statement :
         studies::language::statements(condition.task)) {
      const studies::published::Finding finding = find(statement.id, results, condition);
      entry_json["statements"][statement.id] = {{"verdict", verdict_name(finding.verdict)},
                                                {"numbers", finding.numbers}};
    }
    summary["conditions"].push_back(std::move(entry_json));
  }
  return summary;
}

}  // namespace normproof::verification::cli::study
