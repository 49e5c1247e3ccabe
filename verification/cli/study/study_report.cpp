#include "verification/cli/study/study_report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "verification/cli/study/study_figures.hpp"
#include "verification/cli/study/study_smoothness.hpp"
#include "verification/studies/published/conclusions.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::number_text;
using support::report::plural;

namespace {

/// The sign that stands for an outcome, and the tone in which it is shown.
struct OutcomeMark {
  const char* sign;
  support::report::Tone tone;
};
constexpr OutcomeMark kYes = {"✓", support::report::Tone::good};
constexpr OutcomeMark kNo = {"✗", support::report::Tone::bad};
constexpr OutcomeMark kDiffer = {"±", support::report::Tone::mixed};
constexpr OutcomeMark kAbsent = {"·", support::report::Tone::soft};

OutcomeMark choose_mark(studies::published::Outcome outcome) {
  if (outcome == studies::published::Outcome::converged) return kYes;
  if (outcome == studies::published::Outcome::failed) return kNo;
  return outcome == studies::published::Outcome::seeds_differ ? kDiffer : kAbsent;
}

OutcomeMark choose_mark(studies::published::Verdict verdict) {
  if (verdict == studies::published::Verdict::holds) return kYes;
  if (verdict == studies::published::Verdict::fails) return kNo;
  return verdict == studies::published::Verdict::unsettled ? kDiffer : kAbsent;
}

/// Returns the text for one entry of a table of the study, such as "✓ L 0.66/0.52 (published ✗)".
/// The entry stands for the training runs with the same settings and different seeds.
support::report::Cell entry_cell(const studies::published::TableEntry& entry) {
  const OutcomeMark mark = choose_mark(entry.outcome());
  std::string text = mark.sign;
  if (entry.outcome() == studies::published::Outcome::seeds_differ)
    text += fmt::format(" {}/{}", entry.converged, entry.runs.size());
  if (!entry.runs.empty() && entry.learned == entry.runs.size()) text += " L";
  const auto accuracy = mean_accuracy(entry), macro_f1 = mean_macro_f1(entry);
  if (accuracy && macro_f1) text += fmt::format(" {:.3f}/{:.3f}", *accuracy, *macro_f1);
  if (const auto range = accuracy_range(entry))
    text += fmt::format(" [{:.3f}–{:.3f}]", range->first, range->second);
  if (entry.published) text += fmt::format(" (published {})", (*entry.published ? kYes : kNo).sign);
  std::string title;
  for (const studies::published::FinishedRun* run : entry.runs) {
    title += fmt::format("{}{}", title.empty() ? "" : "; ", run->result.name);
    if (run->result.diverged)
      title += fmt::format(": not finite at step {}", run->result.diverged->step);
    else if (!run->result.steps.empty())
      title += fmt::format(": loss {} to {}", number_text(run->result.steps.front().loss),
                           number_text(run->result.steps.back().loss));
  }
  return {text, mark.tone, title};
}

support::report::Table entries_table(const studies::published::Table& table,
                                     const std::string& caption) {
  support::report::Table shown{caption,
                               support::report::text_columns(
                                   {table.shape.number == 0 ? "initialization" : "learning rate"})};
  for (const std::string& norm : table.norms) shown.columns.push_back({norm});
  for (std::size_t row = 0; row < table.rates.size(); ++row) {
    shown.rows.push_back({{{table.rates[row]}}});
    for (const studies::published::TableEntry& entry : table.entries[row])
      shown.rows.back().cells.push_back(entry_cell(entry));
  }
  return shown;
}

std::string shape_text(const studies::published::TableShape& shape) {
  return fmt::format("Table {}: {}, width {}", shape.number, plural(shape.layers, "layer"),
                     shape.d_ff);
}

support::report::Table highest_rates_table(const std::vector<studies::published::Table>& tables) {
  std::vector<std::string> norms;
  for (const std::string& norm : studies::published::study_norms())
    if (std::ranges::any_of(tables, [&](const studies::published::Table& t) {
          return !highest_rate(t, norm).empty();
        }))
      norms.push_back(norm);
  support::report::Table shown{
      "Highest learning rate at which every seed converged, of those run (published, of the same)",
      support::report::text_columns({"table"})};
  for (const std::string& norm : norms) shown.columns.push_back({norm});
  for (const studies::published::Table& table : tables) {
    shown.rows.push_back({{{shape_text(table.shape)}}});
    for (const std::string& norm : norms) {
      const std::string rate = highest_rate(table, norm);
      const std::string published = published_highest(table, norm);
      shown.rows.back().cells.push_back(
          {fmt::format("{}{}", rate.empty() ? kAbsent.sign : rate,
                       published.empty() ? std::string() : fmt::format(" ({})", published))});
    }
  }
  return shown;
}

support::report::Table sensitivity_table(const studies::published::Results& results,
                                         const studies::published::Condition& condition,
                                         const studies::published::ClassCounts& classes) {
  support::report::Table table{
      "How many entries of the tables another threshold judges otherwise",
      support::report::text_columns({"share of the first loss", "last losses", "standard errors",
                                     "converged: changed", "learned: changed", "entries"}),
      {},
      true};
  for (const studies::published::Sensitivity& row : sensitivity(results, condition, classes))
    table.rows.push_back({{{number_text(row.rules.convergence.share)},
                           {fmt::format("{}", row.rules.convergence.last)},
                           {number_text(row.rules.learning.errors)},
                           {fmt::format("{}", row.changed_convergence)},
                           {fmt::format("{}", row.changed_learning)},
                           {fmt::format("{}", row.entries)}}});
  return table;
}

void add_figure(support::report::Document& document,
                std::optional<support::report::Figure> figure) {
  if (figure) document.add(std::move(*figure));
}

void add_dynamics(support::report::Document& document, const studies::published::Results& results,
                  const studies::published::Condition& condition) {
  support::report::Table table = dynamics_table(results, condition);
  if (table.rows.empty()) return;
  document.add(support::report::Heading{3, "What the norms do"});
  document.add(support::report::Paragraph{
      "PowerNorm's gradient before the division by psi is set beside the bound that the theorem on "
      "nu gives it at that step and channel, where its assumptions hold: the share is at most 1. "
      "Spreads are relative, over the steps."});
  document.add(std::move(table));
  if (support::report::Table smoother = smoothness_table(results, condition);
      !smoother.rows.empty()) {
    document.add(support::report::Paragraph{smoothness_answer(results, condition)});
    document.add(std::move(smoother));
  }
  const auto add = [&](const std::vector<std::string>& norms,
                       const std::vector<std::string>& quantities, const char* title) {
    add_figure(document, dynamics_figure(results, condition, norms, quantities, title));
  };
  add({"batch_norm", "power_norm"}, {"lipschitz_batch_norm", "lipschitz_power_norm"},
      "Lipschitz constants that BatchNorm and PowerNorm have on the same activations");
  add({"batch_norm", "power_norm"}, {"mean_change", "variance_change", "quadratic_mean_change"},
      "Change of the batch statistics from step to step, relative");
  add({"power_norm", "power_norm_released"}, {"max_weighted_gamma", "nu_largest", "psi_least"},
      "(1 - alpha) Gamma and |nu|, the largest over the channels, and the least psi");
  add({"power_norm"}, {"gradient_seen", "gradient_bound"},
      "PowerNorm's gradient before the division by psi, and its bound");
}

/// Returns the class counts with the numbers of validation sentences added to the numbers of
/// training sentences.
studies::published::ClassCounts merge_class_counts(studies::published::ClassCounts classes) {
  classes.training.resize(std::max(classes.training.size(), classes.validation.size()));
  for (std::size_t c = 0; c < classes.validation.size(); ++c)
    classes.training[c] += classes.validation[c];
  return classes;
}

/// Returns a text about the training run with the lowest loss. It compares this loss with the loss
/// of predictions that ignore the input.
std::string lowest_loss_text(const std::vector<studies::published::Table>& tables) {
  double least = std::numeric_limits<double>::infinity();
  std::string name;
  for (const studies::published::Table& table : tables)
    for (const auto& row : table.entries)
      for (const studies::published::TableEntry& entry : row)
        for (const studies::published::FinishedRun* run : entry.runs) {
          if (run->result.epochs.empty()) continue;
          const auto epoch = static_cast<std::size_t>(run->result.epochs.front().step);
          const auto mean = studies::published::mean_of_last(run->result, epoch);
          if (!mean || *mean >= least) continue;
          least = *mean;
          name = studies::published::cell_name(run->cell);
        }
  if (name.empty()) return "";
  return fmt::format(" The least mean loss of a last epoch is {:.4f} nats, of {}.", least, name);
}

void add_condition(support::report::Document& document, const studies::published::Results& results,
                   const studies::published::Condition& condition,
                   const studies::published::ClassCounts& classes) {
  document.add(support::report::Heading{2, fmt::format("Protocol {}", condition_name(condition))});
  const auto tables = make_tables(results, condition, classes);
  if (!tables.empty()) {
    const studies::published::Agreement counts = studies::published::agreement(tables);
    document.add(support::report::Paragraph{fmt::format(
        "Beside the paper: {}. The loss without looking at a sentence is {:.4f} nats by the "
        "training sentences, {:.4f} by all; the largest class is {:.4f} of "
        "the validation sentences.{}",
        agreement_text(counts), loss_floor(classes, condition.protocol.count_weights),
        loss_floor(merge_class_counts(classes), condition.protocol.count_weights),
        classes.majority(), lowest_loss_text(tables))});
    document.add(highest_rates_table(tables));
    for (const studies::published::Table& table : tables)
      document.add(entries_table(table, shape_text(table.shape)));
  }
  if (const auto table = initialization_table(results, condition, classes))
    document.add(entries_table(
        *table, "Initialization: every weight uniform, 1 layer of width 320, rate 0.1"));
  if (!tables.empty()) document.add(sensitivity_table(results, condition, classes));
  for (const std::size_t figure : {2, 3})
    add_figure(document, gradient_figure(results, condition, figure));
  for (const std::size_t figure : {4, 5, 6})
    add_figure(document, curve_figure(results, condition, classes, figure));
  add_dynamics(document, results, condition);
}

void add_conclusions(support::report::Document& document,
                     const studies::published::Results& results,
                     const std::vector<studies::published::Condition>& conditions) {
  document.add(support::report::Heading{2, "Which statement survives which correction"});
  document.add(support::report::Paragraph{
      "A column is a protocol: all faults mended, all there, or one of them switched. The second "
      "column holds the same predicates against the published numbers themselves, at all seven "
      "rates. Unsettled: seeds disagree."});
  support::report::Table table{"Statements by protocols",
                               support::report::text_columns({"statement", "published numbers"})};
  for (const studies::published::Condition& condition : conditions)
    table.columns.push_back({condition_name(condition)});
  support::report::Table numbers{
      "What each verdict rests on",
      support::report::text_columns({"statement", "protocol", "numbers"})};
  numbers.stacks = true;
  for (const studies::published::Statement& statement : studies::published::statements()) {
    const std::string name = fmt::format("({}) {}", statement.id, statement.text);
    const studies::published::Finding published =
        studies::published::find_published_finding(statement.id);
    table.rows.push_back({{{.text = name, .hint = statement.rule}, finding_cell(published)}});
    numbers.rows.push_back({{{name}, {"published numbers"}, {published.numbers}}});
    for (const studies::published::Condition& condition : conditions) {
      const studies::published::Finding finding = find(statement.id, results, condition);
      table.rows.back().cells.push_back(finding_cell(finding));
      if (!finding.numbers.empty())
        numbers.rows.push_back({{{name}, {condition_name(condition)}, {finding.numbers}}});
    }
  }
  document.add(std::move(table));
  document.add(std::move(numbers));
  support::report::Table rules{"When a statement holds",
                               support::report::text_columns({"statement", "rule"})};
  for (const studies::published::Statement& statement : studies::published::statements())
    rules.rows.push_back({{{fmt::format("({})", statement.id)}, {statement.rule}}});
  document.add(std::move(rules));
}

void add_limits(support::report::Document& document) {
  document.add(
      support::report::Heading{2, "What the published experiment showed, and what it could not"});
  const auto say = [&](std::initializer_list<const char*> texts) {
    for (const char* text : texts) document.add(support::report::Paragraph{text});
  };
  document.add(support::report::Heading{3, "What it showed"});
  say(
      {"Of one seed, three epochs of SGD and its own criterion: LayerNorm trains at rates up to "
       "0.5 "
       "in all six models, BatchNorm and no normalization up to 0.1 or 0.5 in one layer and up to "
       "1e-3 or 1e-4 in five. Weights from U(-0.1, 0.1) train with each of the three, weights from "
       "U(-100, 100) with none.",
       "At the initial state, over 100 seeds, the gradients of five layers without normalization "
       "are some twenty to three hundred times those with it: a statement about weights and the "
       "first batch that no fault of the training loop touches, though padding and labels do.",
       "The loss, its Lipschitz constant and its smoothness of one wide layer at the rate 1e-4, as "
       "its loop computes them. Whether each statement that was drawn from this survives a "
       "correction is the table above."});
  document.add(support::report::Heading{3, "What it could not show"});
  say(
      {"With labels misaligned a position is scored against the label of another sentence: nothing "
       "about a sentence can be learned, and a falling loss shows the prior being learned. Its "
       "floor is the entropy of the weighted prior.",
       "With evaluation mode left on, batch statistics and dropout act at the first step of each "
       "epoch alone: at steps 1, 30 and 59 of the published data. Peaks there are a mark of the "
       "switch, not of BatchNorm.",
       "The published loop of figures 5 and 6 compares consecutive probes of drifting weights, and "
       "takes a maximum over tensors: its values are neither a Lipschitz constant nor a smoothness "
       "of the loss.",
       "Without a padding mask 94.1 % of the published positions are padding: statistics, "
       "attention and loss are theirs.",
       "One seed, and no rule of convergence: no spread was shown, and which cells count as "
       "converged depends on a threshold; beside its tables this report says how many move with "
       "it.",
       "Random numbers here are other ones than the published run's: curves can agree in shape, "
       "never in bits."});
}

void add_cells(support::report::Document& document, const studies::published::Results& results) {
  document.add(support::report::Heading{2, "Every cell, and the command that runs it again"});
  document.add(support::report::Paragraph{
      "With the data of the folder where it is not the made-up corpus: --data, --vocab and "
      "--validation. The same hash comes out of every machine."});
  document.add(support::report::Code{"normproof study run --out DIR --cells NAME"});
  support::report::Table table{
      "Cells",
      support::report::text_columns(
          {"name", "stands in", "sha256 of the trajectory", "first loss", "last loss", "end"}),
      {},
      true};
  std::size_t nowhere = 0;
  for (const auto& [name, finished] : results) {
    const std::string place = studies::published::report_place(finished.cell);
    if (place.empty()) ++nowhere;
    const studies::published::CellResult& result = finished.result;
    const bool trained = !result.steps.empty();
    table.rows.push_back({{{name},
                           {place.empty() ? "–" : place},
                           {result.sha256},
                           {trained ? number_text(result.steps.front().loss) : "–"},
                           {trained ? number_text(result.steps.back().loss) : "–"},
                           {result.diverged ? result.diverged->sentence : "finite"}}});
  }
  if (nowhere > 0)
    document.add(support::report::Paragraph{fmt::format(
        "{} in no table and no figure, and {} counted nowhere but here.",
        nowhere == 1 ? std::string("1 cell stands") : fmt::format("{} cells stand", nowhere),
        nowhere == 1 ? "is" : "are")});
  document.add(std::move(table));
}

}  // namespace

support::report::Cell finding_cell(const studies::published::Finding& finding) {
  return {fmt::format("{} {}", choose_mark(finding.verdict).sign, verdict_name(finding.verdict)),
          choose_mark(finding.verdict).tone, finding.numbers};
}

std::string agreement_text(const studies::published::Agreement& counts) {
  if (counts.agree + counts.differ + counts.seeds_differ == 0)
    return "none of the published entries is run";
  std::string text =
      fmt::format("published entries: {} the same here, {} not", counts.agree, counts.differ);
  if (counts.seeds_differ > 0) text += fmt::format(", {} where seeds differ", counts.seeds_differ);
  if (counts.not_run > 0)
    text += fmt::format("; {} of these rows and columns not run", counts.not_run);
  return text;
}

support::report::Document study_document(const studies::published::Results& results,
                                         const studies::published::ClassCounts& classes) {
  const std::vector<studies::published::Condition> conditions = list_conditions(results);
  support::report::Document document{"normproof: the study"};
  document.add(support::report::Heading{1, "The study: normalization in a Transformer encoder"});
  document.add(support::report::Paragraph{fmt::format(
      "{} of {}. An entry reads: {} converged, {} did not, {} seeds differ, {} not run; L: "
      "learned, by every seed; accuracy and macro-F1 of the validation sentences after the last "
      "epoch, means over the seeds that stayed finite, and, of several, the least and the largest "
      "accuracy; in brackets what was published.",
      plural(results.size(), "cell"), plural(conditions.size(), "protocol"), kYes.sign, kNo.sign,
      kDiffer.sign, kAbsent.sign)});
  document.add(support::report::Paragraph{
      "Converged: every loss is finite, and the mean of the last 10 is below the first, which is "
      "that of the initial state. Learned: the accuracy is above the share of the largest class by "
      "two standard errors of that share."});
  add_conclusions(document, results, conditions);
  for (const studies::published::Condition& condition : conditions)
    add_condition(document, results, condition, classes);
  add_limits(document);
  add_cells(document, results);
  return document;
}

nlohmann::ordered_json study_summary(const studies::published::Results& results,
                                     const studies::published::ClassCounts& classes) {
  nlohmann::ordered_json summary = {{"cells", results.size()},
                                    {"published", nlohmann::json::object()},
                                    {"protocols", nlohmann::json::array()}};
  for (const studies::published::Statement& statement : studies::published::statements())
    summary["published"][statement.id] =
        verdict_name(studies::published::find_published_finding(statement.id).verdict);
  for (const studies::published::Condition& condition : list_conditions(results)) {
    nlohmann::ordered_json entry_json = {{"protocol", condition_name(condition)}};
    const auto tables = make_tables(results, condition, classes);
    const studies::published::Agreement counts = studies::published::agreement(tables);
    entry_json["agreement"] = {{"agree", counts.agree},
                               {"differ", counts.differ},
                               {"seeds_differ", counts.seeds_differ},
                               {"not_run", counts.not_run}};
    entry_json["tables"] = nlohmann::json::array();
    for (const studies::published::Table& table : tables) {
      nlohmann::ordered_json shown = {{"table", table.shape.number}};
      for (const std::string& norm : table.norms)
        shown["highest_rate"][norm] = highest_rate(table, norm);
      entry_json["tables"].push_back(std::move(shown));
    }
    for (const studies::published::Statement& statement : studies::published::statements()) {
      const studies::published::Finding finding = find(statement.id, results, condition);
      entry_json["statements"][statement.id] = {{"verdict", verdict_name(finding.verdict)},
                                                {"numbers", finding.numbers}};
    }
    summary["protocols"].push_back(std::move(entry_json));
  }
  return summary;
}

}  // namespace normproof::verification::cli::study
