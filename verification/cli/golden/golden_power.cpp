#include "verification/cli/golden/golden_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/model/operation_names.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/golden/golden_injection.hpp"
#include "verification/cli/golden/golden_museum.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/mutations/mistake_name.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::count_text;
using support::report::number_text;
using support::report::plural;
using verification::golden::gate::DetectionPowerOptions;
using verification::golden::gate::LayerDetectionPower;
using verification::golden::gate::MutationVerdict;

namespace {

struct PowerTotals {
  std::size_t cases = 0, wrong = 0, killed = 0, checks = 0, false_alarms = 0;
  verification::golden::gate::InjectionResult planted = {};

  std::size_t list_undetected_mutations() const { return wrong - killed; }
  PowerTotals& operator+=(const PowerTotals& t) {
    cases += t.cases;
    wrong += t.wrong;
    killed += t.killed;
    checks += t.checks;
    false_alarms += t.false_alarms;
    planted += t.planted;
    return *this;
  }
};

PowerTotals add_up_totals(const LayerDetectionPower& layer, std::size_t seeds) {
  return {layer.cases,  layer.verdicts.size(),     layer.count_killed_mutations(seeds),
          layer.checks, layer.false_alarms.size(), layer.planted};
}

PowerTotals add_up_totals(const std::vector<LayerDetectionPower>& layers, std::size_t seeds) {
  PowerTotals all;
  for (const LayerDetectionPower& layer : layers) all += add_up_totals(layer, seeds);
  return all;
}

bool are_all_as_expected(const PowerTotals& totals) {
  return totals.list_undetected_mutations() == 0 && totals.false_alarms == 0 &&
         totals.planted.all_refused();
}

std::string format_corpora_count(std::size_t count) {
  return count == 1 ? "1 corpus" : fmt::format("{} corpora", count);
}

std::string undetected_mutation_line(const LayerDetectionPower& layer,
                                     const MutationVerdict& verdict, std::size_t seeds) {
  return fmt::format(
      "{}, {}: rejected by {} of {}; {}", layer.layer, mistake_name(verdict.mutation),
      verdict.killed, format_corpora_count(seeds),
      verdict.same_bits == seeds
          ? "no case tells it from the right one by a single bit"
          : fmt::format("the largest share of a bound is {}", number_text(verdict.closest)));
}

support::report::Table power_table(const std::vector<LayerDetectionPower>& layers,
                                   std::size_t seeds) {
  support::report::Table table{"", support::report::text_columns({"layer"})};
  for (const char* number :
       {"cases", "wrong", "rejected", "survive", "right answers", "false alarms"})
    table.columns.push_back(support::report::number_column(number));
  const auto add = [&](const std::string& name, const PowerTotals& t) {
    table.rows.push_back({{{name}}});
    for (const std::size_t count :
         {t.cases, t.wrong, t.killed, t.list_undetected_mutations(), t.checks, t.false_alarms})
      table.rows.back().cells.push_back({std::to_string(count)});
  };
  for (const LayerDetectionPower& layer : layers) add(layer.layer, add_up_totals(layer, seeds));
  add("all", add_up_totals(layers, seeds));
  return table;
}

support::report::Table detecting_cases_table(const std::vector<LayerDetectionPower>& layers) {
  support::report::Table table{
      "", support::report::text_columns({"layer", "wrong implementation", "first rejected by"})};
  for (const LayerDetectionPower& layer : layers)
    for (const MutationVerdict& verdict : layer.verdicts)
      table.rows.push_back({{{layer.layer},
                             {mistake_name(verdict.mutation)},
                             {verdict.killer.empty() ? "none" : verdict.killer}}});
  return table;
}

std::string power_summary(const PowerTotals& all, const DetectionPowerOptions& options) {
  const std::string where =
      fmt::format("tier {}, {}", to_string(options.tier), format_corpora_count(options.seeds));
  const std::string alarms = plural(all.false_alarms, "false alarm");
  const char* const verdict = are_all_as_expected(all) ? "PASSED" : "FAILED";
  if (options.inject_only)
    return fmt::format("{}: {}, {}; {}", verdict, plural(all.cases, "case"),
                       injection_text(all.planted.total()), where);
  if (verification::golden::gate::measures_only_false_alarms(options))
    return fmt::format("{}: {}, {}; {}", verdict, plural(all.checks, "right answer"), alarms,
                       where);
  return fmt::format("{}: {} of {} are rejected, {}; {}", verdict, count_text(all.killed),
                     plural(all.wrong, "wrong implementation"), alarms, where);
}

support::report::Document power_document(const std::vector<LayerDetectionPower>& layers,
                                         const DetectionPowerOptions& options) {
  support::report::Document document{"normproof: gate power"};
  if (!options.inject_only) document.add(power_table(layers, options.seeds));
  for (const LayerDetectionPower& layer : layers) {
    for (const std::string& alarm : layer.false_alarms)
      document.add(
          support::report::Paragraph{fmt::format("false alarm: {}: {}", layer.layer, alarm)});
    for (const std::string& missed : layer.planted.missed)
      document.add(support::report::Paragraph{"not refused: " + missed});
    for (const MutationVerdict& verdict : layer.verdicts)
      if (verdict.killed < options.seeds)
        document.add(
            support::report::Paragraph{undetected_mutation_line(layer, verdict, options.seeds)});
  }
  const PowerTotals all = add_up_totals(layers, options.seeds);
  if (!all.planted.of.empty()) document.add(injection_table(all.planted));
  document.add(support::report::Paragraph{power_summary(all, options)});
  return document;
}

/// Returns the paragraph above the table, which explains its numbers.
std::string power_heading(const DetectionPowerOptions& options, std::size_t styles) {
  constexpr const char* kText =
      R"(A second implementation of every operation, in plain loops and in the arithmetic of each case, passes its
terms, factors, counts, weights, masks, sums, roots, reads and writes through named sites. Each site offers
the operators of its kind: a term dropped, negated or counted twice; n - 1 or n + 1 for n; eps dropped, tenfold,
outside the root; the statistic of another step; and so on. `wrong`: each of them at each site, one at a time,
and at several sites at once where one mistake is made at all of them (`verification/golden/mutations/joint_sites.cpp`).
`rejected`: a case of the tier fails, with every one of the corpora (the committed one, and others of other
random numbers). `right answers`: those of the same implementation in {} styles (sums forwards, backwards,
pairwise, strided, in two stages and in double, mean and variance by Welford, whole or merged from blocks, or softmax
in one pass, both from shifted elements in one pass, 1/n as a factor, division by the root, powers for exponentials, a backward
from the stored y, fused multiply-add, quotients and reciprocal roots 2 units off in either direction, subnormal
numbers flushed, which is declared); `false alarms`: those that a case rejects. A mistake that no site offers is not counted. Each answer holds
the statistics too.

`in the place of each element`: that value in the answer of the first style, for one element of one output at a time,
which is then judged. `refused`: so is the answer. `right there`: it is what is expected, as 0 where 0 is, and NaN or
infinity where NaN is. `within the bound`: another number than is expected, too near to it to be told. `not judged`: the
bound claims nothing. What 8 bits or 16 have no number for is planted as they store it; scales of blocks get their ends.

)";
  return fmt::format(
      "# Gate power\n\nWhat `normproof golden power --tier {} --seeds {} --markdown FILE` "
      "writes.\n\n{}",
      to_string(options.tier), options.seeds, fmt::format(kText, styles));
}
std::string power_json(const std::vector<LayerDetectionPower>& layers,
                       const DetectionPowerOptions& options) {
  using nlohmann::ordered_json;
  ordered_json object = {{"tier", to_string(options.tier)},
                         {"corpora", options.seeds},
                         {"layers", ordered_json::array()}};
  for (const LayerDetectionPower& layer : layers) {
    ordered_json verdicts = ordered_json::array();
    for (const MutationVerdict& verdict : layer.verdicts)
      verdicts.push_back({{"name", mistake_name(verdict.mutation)},
                          {"site", verdict.mutation.site},
                          {"operator", to_string(verdict.mutation.op)},
                          {"rejected", verdict.killed},
                          {"first_rejected_by", verdict.killer}});
    object["layers"].push_back({{"layer", layer.layer},
                                {"cases", layer.cases},
                                {"right_answers", layer.checks},
                                {"planted", injection_json(layer.planted)},
                                {"false_alarms", layer.false_alarms},
                                {"wrong", verdicts}});
  }
  return object.dump(1) + "\n";
}

}  // namespace

void GoldenDetectionPowerCommand::add(CLI::App& app) {
  constexpr std::size_t kMaxSeeds = 10'000;
  add_named_value_option(app, "--tier", options.tier, verification::golden::corpus::parse_tier,
                         "quick (default), standard or full", "TIER");
  add_value_option(
      app, "--layer", options.only,
      [](const std::string& glob) { return ref::model::find_operation_name(glob).value_or(glob); },
      [](const std::string& glob) { return glob; },
      "Only layers whose name matches this glob (default: all)", "GLOB");
  add_number_option(
      app, "--seeds", options.seeds, 1, kMaxSeeds,
      "Number of corpora: that of 'golden make', and others with other random numbers "
      "(default: 1)");
  add_accumulation_option(
      app, options.accumulation,
      "Only right implementations, with every operation in this format: float16 or bfloat16");
  add_formula_option(
      app, options.formula,
      "folded: only right implementations, with x r - m r for (x - m) r; or one_pass: only "
      "right ones, with the variance E[x^2] - E[x]^2");
  add_flag(app, "--planted", options.inject_only,
           "Only put NaN, infinity, 0 and 12345 in place of one element of a right output at a "
           "time, and count how many are refused and how many elements are not judged");
  add_flag(app, "--museum", museum,
           "Only public bugs, each reproduced as a small wrong kernel: which of them the tier and "
           "those below it find");
  check_after_parsing(app, [&app, this] {
    for (const char* other : {"--seeds", "--accumulation", "--formula", "--planted"})
      if (museum && is_given(app, other))
        throw ref::numeric::UsageError(fmt::format("--museum and {}; expected one of them", other));
  });
  reports.add(app);
  add_jobs_option(app, options.jobs, "Implementations to run");
  set_footer(
      app,
      R"(Breaks a second implementation of every layer at each place of its formula, in every way that the
place offers, and checks it against the cases. Right implementations that add in other orders are
checked too. Exit status 1 if a wrong one passes, or a right one fails.

Examples:
  normproof golden power
  normproof golden power --layer rms_norm --seeds 10 --markdown power.md
  normproof golden power --planted --tier full
  normproof golden power --museum --tier standard)");
}

Output GoldenDetectionPowerCommand::run() const {
  ref::numeric::set_num_threads(1);  // the implementations run in parallel instead
  if (museum) return report_known_bugs();
  ProgressBar progress;
  DetectionPowerOptions watched = options;
  watched.finished = [&](const std::string& layer, std::size_t done, std::size_t total) {
    progress.show("mutating", done, total, layer);
  };
  const std::vector<LayerDetectionPower> layers =
      verification::golden::gate::measure_detection_power(watched);
  const support::report::Document document = power_document(layers, options);
  const std::string text = support::report::markdown(document);
  const support::report::Document killers{"", {detecting_cases_table(layers)}};
  return {.status = are_all_as_expected(add_up_totals(layers, options.seeds)) ? kSuccess
                                                                              : kNumericalFailure,
          .document = document,
          .text = text,
          .json = power_json(layers, options),
          .markdown = power_heading(options, layers.front().styles) + text + "\n" +
                      support::report::markdown(killers)};
}

Output GoldenDetectionPowerCommand::report_known_bugs() const {
  ProgressBar progress;
  const std::vector<ExhibitResult> visits = verification::golden::museum::run_exhibits(
      verification::golden::museum::all_exhibits(),
      {.tier = options.tier,
       .only = options.only,
       .jobs = options.jobs,
       .finished = [&](const std::string& op, std::size_t done, std::size_t of) {
         progress.show("visiting", done, of, op);
       }});
  return {.status = are_bugs_found_and_named(visits) ? kSuccess : kNumericalFailure,
          .document = known_bugs_document(visits),
          .text = known_bugs_text(visits),
          .json = known_bugs_json(visits, options.tier),
          .markdown = known_bugs_markdown(visits, options.tier)};
}

}  // namespace normproof::verification::cli::golden
