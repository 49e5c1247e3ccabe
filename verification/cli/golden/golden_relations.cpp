#include "verification/cli/golden/golden_relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/shell_line.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean;
using support::report::count_text;
using support::report::plural;
using verification::golden::gate::RelationOutcome;
using verification::golden::gate::RelationResult;

namespace {

constexpr const char* kNothingSaid = "expected 1 relation or more that holds";

std::string_view outcome_word(RelationOutcome outcome) {
  switch (outcome) {
    case RelationOutcome::held:
      return "held";
    case RelationOutcome::broken:
      return "broken";
    case RelationOutcome::declined:
      return "declined";
    default:
      return "does not apply";
  }
}

std::size_t count_outcome(const std::vector<RelationResult>& results, RelationOutcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(results, outcome, &RelationResult::outcome));
}

std::string relation_reproduction_line(const GoldenRelationsCommand& command,
                                       const RelationResult& result) {
  GoldenRelationsCommand alone = command;
  alone.relations = {result.relation};
  alone.only = result.path;
  alone.reports = {};
  return shell_line("golden relations", alone);
}

bool all_relations_hold(const std::vector<RelationResult>& results) {
  return count_outcome(results, RelationOutcome::broken) == 0 &&
         count_outcome(results, RelationOutcome::held) > 0;
}

support::report::Table relations_table(const std::vector<RelationResult>& results,
                                       const GoldenRelationsCommand& command) {
  support::report::Table table{"", support::report::text_columns({"relation"})};
  for (const char* number : {"held", "broken", "does not apply", "declined"})
    table.columns.push_back(support::report::number_column(number));
  for (const verification::golden::gate::Relation relation : command.relations) {
    std::map<RelationOutcome, std::size_t> counts;
    for (const RelationResult& result : results)
      if (result.relation == relation) ++counts[result.outcome];
    table.rows.push_back({{{std::string(verification::golden::gate::to_string(relation))}}});
    for (const auto outcome : {RelationOutcome::held, RelationOutcome::broken,
                               RelationOutcome::not_applicable, RelationOutcome::declined})
      table.rows.back().cells.push_back({std::to_string(counts[outcome])});
  }
  return table;
}

support::report::Document relations_document(const std::vector<RelationResult>& results,
                                             const GoldenRelationsCommand& command,
                                             std::size_t cases) {
  support::report::Document document{"normproof: relations"};
  document.add(relations_table(results, command));
  for (const RelationResult& result : results)
    if (result.outcome == RelationOutcome::broken)
      document.add(support::report::Problem{
          "BROKEN",
          fmt::format("{}: {}", result.path,
                      verification::golden::gate::to_string(result.relation)),
          {result.sentence},
          relation_reproduction_line(command, result)});
  const std::size_t held = count_outcome(results, RelationOutcome::held);
  const std::size_t declined = count_outcome(results, RelationOutcome::declined);
  std::string summary = fmt::format(
      "{}: {} of {} hold, {}", all_relations_hold(results) ? "PASSED" : "FAILED", count_text(held),
      plural(held + count_outcome(results, RelationOutcome::broken), "relation"),
      plural(cases, "case"));
  if (declined > 0) summary += fmt::format("; {} declined", plural(declined, "relation"));
  if (held == 0) summary += fmt::format("; {}", kNothingSaid);
  document.add(support::report::Paragraph{summary});
  return document;
}

support::report::Check make_check(const RelationResult& result,
                                  const GoldenRelationsCommand& command) {
  const std::string relation(verification::golden::gate::to_string(result.relation));
  support::report::Check check{.group = result.path,
                               .name = relation,
                               .verdict = std::string(outcome_word(result.outcome)),
                               .file = result.path + "/case.json",
                               .properties = {{"path", result.path}, {"relation", relation}}};
  if (result.outcome == RelationOutcome::held) return check;
  if (result.outcome == RelationOutcome::broken) {
    check.outcome = support::report::Outcome::failed;
    check.findings = {{"relation/" + relation, result.sentence}};
    check.repro = relation_reproduction_line(command, result);
    check.properties["problem"] = clean(result.sentence);
    return check;
  }
  check.outcome = support::report::Outcome::skipped;
  check.findings = {{"", result.outcome == RelationOutcome::declined
                             ? "the case is declined"
                             : "the relation says nothing about this case"}};
  return check;
}

support::report::Checks relation_checks(const std::vector<RelationResult>& results,
                                        const GoldenRelationsCommand& command) {
  support::report::CheckSuite suite{"normproof.golden.relations"};
  for (const RelationResult& result : results) suite.checks.push_back(make_check(result, command));
  // Without this entry, a program that reads only the file would see no failure.
  if (count_outcome(results, RelationOutcome::held) == 0 &&
      count_outcome(results, RelationOutcome::broken) == 0)
    suite.checks.push_back({.group = "normproof.golden",
                            .name = "relations",
                            .outcome = support::report::Outcome::failed,
                            .findings = {{"relation", kNothingSaid}},
                            .properties = {{"path", "relations"}}});
  return {suite};
}

}  // namespace

void GoldenRelationsCommand::add(CLI::App& app) {
  add_golden_option(app, golden);
  add_pipe_option(app, pipe, timeout);
  add_name_list_option(
      app, "--relations", relations, verification::golden::gate::parse_relation,
      "repeat, memory, split, permute or neighbour, or several of them separated by commas "
      "(default: all)",
      "LIST");
  add_only_option(app, only);
  reports.add(app);
  set_footer(
      app,
      R"(Finds what no tolerance finds: an output that changes from call to call (repeat) or with the
previous content of memory (memory), that depends on the other samples of the batch (split,
permute), or that becomes NaN because another sample is NaN (neighbour). Layers with statistics
over samples are checked for repeat, memory and, within the bound, permute. --json writes one
object per line and relation. Exit status 1 if a relation is broken.

Examples:
  normproof golden relations --golden golden --pipe ./my_kernel
  normproof golden relations --golden g --pipe ./my_kernel --relations split --only '*/rms_norm/*')");
}

std::vector<NamedFile> GoldenRelationsCommand::inputs() const {
  return {{"--golden", golden / "manifest.json"}};
}

Output GoldenRelationsCommand::run() const {
  const auto cases = verification::golden::certify::list_corpus(golden, only);
  const std::vector<RelationResult> results = [&] {
    ProgressBar progress;
    return verification::golden::gate::check_relations(
        golden, cases,
        verification::golden::gate::make_relation_candidates(pipe, timeout, print_candidate_errors),
        relations, [&](std::size_t done) {
          progress.show("asking", done, cases.size(), cases[done - 1].path);
        });
  }();
  return {.status = all_relations_hold(results) ? kSuccess : kNumericalFailure,
          .document = relations_document(results, *this, cases.size()),
          .checks = relation_checks(results, *this)};
}

}  // namespace normproof::verification::cli::golden
