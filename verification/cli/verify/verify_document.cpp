#include "verification/cli/verify/verify_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "verification/checks/statistics/summary.hpp"
#include "verification/cli/verify/pictures.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/terminal.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using checks::statistics::BatchRecord;
using checks::statistics::NuUpdate;
using checks::statistics::RecordedScenario;
using checks::statistics::RecordedStep;
using checks::statistics::Stability;
using checks::statistics::Summary;
using support::report::count_text;
using support::report::Document;
using support::report::number_text;
using support::report::percent;
using support::report::plural;
using support::report::Tone;

namespace {

constexpr std::size_t kMinWidth = 80;

Tone claim_tone(const ReportedClaim& claim) {
  if (!claim.as_expected) return Tone::bad;
  return claim.holds ? Tone::good : Tone::expected;
}

/// Returns the smallest errors that the check of a claim rejects, separated by semicolons.
std::string powers_text(const ReportedClaim& claim) {
  std::string text;
  for (const SmallestRejectedError& power : claim.powers)
    text += (text.empty() ? "" : "; ") + power_text(power);
  return text;
}

support::report::Details evidence_details(const ReportedClaim& claim) {
  const std::string share = claim.worst_meaning.empty()
                                ? number_text(claim.worst)
                                : number_text(claim.worst) + ": " + claim.worst_meaning;
  const std::string cases =
      fmt::format("{} tried, {} violate the statement; seed {}", count_text(claim.cases),
                  count_text(claim.violations), claim.seed);
  return {"evidence",
          {{"assumptions", claim.assumptions},
           {"source", claim.source},
           {claim.evidence, claim.evidence_detail},
           {"cases", cases},
           {"worst share", share},
           {"rejects", powers_text(claim)},
           {"more", claim.detail}},
          !claim.as_expected};
}

support::report::Row claim_row(const ReportedClaim& claim) {
  support::report::Row row{
      {{claim.id},
       {verdict_text(claim), claim_tone(claim)},
       {claim.evidence, claim.evidence == "proved" ? Tone::good : Tone::plain},
       {count_text(claim.cases)},
       {number_text(claim.worst)},
       {.text = claim.statement, .title = claim.title, .details = evidence_details(claim)}},
      claim.as_expected ? Tone::plain : Tone::bad,
      reasons(claim),
      "claim-" + claim.id};
  if (!claim.as_expected && !claim.detail.empty()) row.notes.push_back(claim.detail);
  return row;
}

/// Adds a paragraph with the smallest error that the check of each claim rejects, if --power
/// measured it. Used for standard output only.
void add_powers(Document& document, const Report& report) {
  support::report::Table table{
      "",
      support::report::text_columns({"claim", "evidence", "injected error, and rejected sizes"})};
  for (const ReportedClaim& claim : report.claims)
    for (const SmallestRejectedError& power : claim.powers)
      table.rows.push_back({{{claim.id}, {claim.evidence}, {power_text(power)}}});
  if (table.rows.empty()) return;
  document.add(support::report::Heading{2, "Power"});
  document.add(support::report::Paragraph{
      "An error of size δ is injected into the implementation. The table has the smallest δ that "
      "makes the verdict unexpected, found by bisection. Below 2^-40 it is known up to a factor of "
      "two."});
  document.add(std::move(table));
}

void add_claims(Document& document, const Report& report) {
  document.add(support::report::Heading{2, "Claims"});
  document.add(support::report::Paragraph{
      fmt::format("Each claim was tried on {} or more (seed {}). A claim that should not hold "
                  "lacks one of its assumptions on purpose; its counterexample was made as small "
                  "as possible. worst: the largest share of its bound over all cases; above 1 the "
                  "claim is violated. evidence: proved for every size by a theorem over the real "
                  "numbers (docs/derivations/proofs.md), with premises if the theorem requires "
                  "more than the claim; decided exactly for each case; or tested.",
                  plural(report.cases, "case"), report.seed)});
  support::report::Table table{"",
                               {{"claim"},
                                {"verdict"},
                                {"evidence"},
                                support::report::number_column("cases"),
                                support::report::number_column("worst"),
                                {.name = "statement", .may_be_cut = true}}};
  table.stacks = true;
  for (const ReportedClaim& claim : report.claims) table.rows.push_back(claim_row(claim));
  document.add(std::move(table));
}

/// Returns mean and maximum over the steps as text: "3.1e-03 (4.9e-03)".
std::string mean_and_maximum_text(const std::optional<Summary>& summary) {
  return summary ? fmt::format("{:.1e} ({:.1e})", summary->mean, summary->largest) : "";
}

support::report::Table fluctuation_table(const Report& report, const char* caption,
                                         Summary checks::statistics::FluctuationSummary::*part) {
  support::report::Table table{caption,
                               {{"layer"},
                                support::report::number_column("mean"),
                                support::report::number_column("variance"),
                                support::report::number_column("quadratic mean")}};
  for (const RecordedScenario& followed : report.statistics.followed) {
    table.rows.push_back({{{followed.scenario.name}}});
    for (const auto member :
         {&RecordedStep::mean, &RecordedStep::variance, &RecordedStep::quadratic_mean}) {
      const auto summary = checks::statistics::summarize(followed, member);
      table.rows.back().cells.push_back(
          {mean_and_maximum_text(summary ? std::optional(*summary.*part) : std::nullopt)});
    }
  }
  return table;
}

support::report::Table mask_table(const Report& report) {
  support::report::Table table{
      "Change of a batch's statistics if padding is counted, relative to those over real tokens",
      {{"statistic"},
       support::report::number_column("smallest"),
       support::report::number_column("mean"),
       support::report::number_column("largest")}};
  const auto add = [&](const char* name, double BatchRecord::*quantity) {
    const Summary change = checks::statistics::summarize(report.statistics, quantity);
    table.rows.push_back({{{name},
                           {number_text(change.least)},
                           {number_text(change.mean)},
                           {number_text(change.largest)}}});
  };
  add("mean", &BatchRecord::mean_change);
  add("variance", &BatchRecord::variance_change);
  add("quadratic mean", &BatchRecord::quadratic_mean_change);
  return table;
}

support::report::Cell stability_cell(const RecordedScenario& followed) {
  const auto& found = followed.stability;
  if (found.stability == Stability::stable) return {"stable"};
  if (found.stability == Stability::warning)
    return {fmt::format("WARNING from step {}", found.first_above_one), Tone::expected};
  const bool decides = followed.scenario.decides;
  return {fmt::format("{} from step {}", decides ? "ERROR" : "diverges", found.first_error),
          decides ? Tone::bad : Tone::expected};
}

support::report::Table recursion_table(const Report& report) {
  support::report::Table table{"",
                               {{"layer"},
                                support::report::number_column("max theta"),
                                support::report::number_column("steps > 1"),
                                support::report::number_column("max |nu|"),
                                {"verdict"}}};
  for (const RecordedScenario& followed : report.statistics.followed) {
    const auto nu = checks::statistics::summarize(followed, &NuUpdate::max_nu);
    if (!nu) continue;
    const support::report::Cell so = stability_cell(followed);
    table.rows.push_back({{{.text = followed.scenario.name,
                            .details = {"about", {{"scenario", followed.scenario.description}}}},
                           {number_text(followed.stability.max_theta)},
                           {count_text(followed.stability.steps_above_one)},
                           {number_text(nu->largest)},
                           so},
                          so.tone == Tone::bad ? Tone::bad : Tone::plain});
  }
  return table;
}

std::string slope_text(double value) {
  return fmt::format("{:.4g}", value);
}

/// Returns the maximum, over the steps, of an enclosure of a layer's Lipschitz constant.
checks::lipschitz::Enclosure largest_lipschitz_constant(
    const Report& report, const std::string& layer,
    checks::lipschitz::Enclosure checks::statistics::LipschitzAtStep::*where) {
  std::vector<checks::lipschitz::Enclosure> found;
  for (const checks::statistics::LipschitzAtStep& slope : report.statistics.slopes)
    if (slope.layer == layer) found.push_back(slope.*where);
  return checks::lipschitz::largest(found);
}

void add_slopes(Document& document, const Report& report) {
  const checks::statistics::Statistics& s = report.statistics;
  support::report::Table table{
      "",
      {{"layer"},
       {"formula"},
       support::report::number_column("value"),
       support::report::number_column("at most"),
       support::report::number_column("attained"),
       support::report::number_column(fmt::format("within {}", s.options.slope_radius)),
       support::report::number_column("its bound")}};
  std::size_t steps = 0;
  for (const checks::statistics::LipschitzAtStep& slope : s.slopes) {
    if (slope.layer == s.slopes.front().layer) ++steps;
    if (slope.step != s.slopes.front().step) continue;
    const auto at =
        largest_lipschitz_constant(report, slope.layer, &checks::statistics::LipschitzAtStep::at);
    const auto around = largest_lipschitz_constant(report, slope.layer,
                                                   &checks::statistics::LipschitzAtStep::around);
    table.rows.push_back({{{slope.layer},
                           {slope.theory},
                           {slope_text(at.theory)},
                           {slope_text(at.upper)},
                           {slope_text(at.lower)},
                           {slope_text(around.upper)},
                           {slope_text(around.theory)}}});
  }
  document.add(support::report::Heading{3, "Lipschitz constants"});
  document.add(support::report::Paragraph{fmt::format(
      "The largest factor by which a layer can lengthen a change of these sentences: the norm of "
      "its Jacobian, over {} of the batches and over the channels or tokens, with gamma = 1. `at "
      "most` is proved in ball arithmetic; `attained` is the factor by which the layer's own "
      "backward lengthens some gradient. The last two columns hold for any batch within {} of "
      "these (docs/derivations/lipschitz.md).",
      steps, s.options.slope_radius)});
  document.add(std::move(table));
}

void add_statistics(Document& document, const Report& report) {
  const checks::statistics::Statistics& s = report.statistics;
  const Summary pads = checks::statistics::summarize(s, &BatchRecord::pad_fraction);
  document.add(support::report::Heading{
      2, fmt::format("Statistics over batches of sentences: {}", report.corpus)});
  document.add(support::report::Paragraph{fmt::format(
      "{} with {}; the longest has {} tokens. Batches of {} sentences, padded to the longest one "
      "of the "
      "batch; {}; random embeddings of width {} and random upstream gradients. This is what a norm "
      "layer behind the embedding sees when training begins. Padding takes {} to {} of the "
      "positions, {} on average; with every sentence padded to {} tokens it would take {}. A large "
      "[PAD] is {} times as large.",
      plural(s.corpus.sentences, "sentence"), plural(s.corpus.tokens, "token"), s.corpus.longest,
      s.options.batch_size, plural(s.options.steps, "step"), s.options.d_model, percent(pads.least),
      percent(pads.largest), percent(pads.mean), s.options.published_length,
      percent(s.corpus.published_pad_fraction), s.options.large_pad)});
  document.add(fluctuation_table(
      report, "(1/d) ||batch - running|| of the statistics: mean over the steps (and the largest)",
      &checks::statistics::FluctuationSummary::absolute));
  document.add(fluctuation_table(report, "The same, relative to the size of the running value",
                                 &checks::statistics::FluctuationSummary::relative));
  document.add(mask_table(report));
  if (s.padding_is_inert)
    document.add(support::report::Paragraph{
        "With the mask, PowerNorm's statistics have the same bits for any [PAD] embedding."});
  else
    document.add(support::report::Paragraph{
        "ERROR: with the mask, PowerNorm's statistics still depend on the [PAD] embedding.",
        Tone::bad});
  document.add(support::report::Heading{3, "The recursion of nu"});
  document.add(support::report::Paragraph{
      "PowerNorm's backward moves nu to nu (1 - theta) + ..., with theta = (1 - alpha) Gamma in "
      "each channel. Up to 1 this is a convex combination, above 2 a growing oscillation. A theta "
      "above 1 is a warning; 2 or more in two steps in a row is an error."});
  document.add(recursion_table(report));
  add_slopes(document, report);
}

/// Which items of a checker are shown. With `all`, every item is shown, in a table that the reader
/// can open (HTML). With `refuted_or_failed`, only counterexamples and failures are shown.
enum class ShownItems { all, refuted_or_failed };
void add_checkers(Document& document, const Report& report, ShownItems wanted) {
  for (const CheckerReport& checker : report.checkers) {
    document.add(
        support::report::Heading{2, fmt::format("Checked by another program: {}", checker.what)});
    const bool passed = checker.state == CheckerReport::State::passed;
    const bool failed = checker.state == CheckerReport::State::failed;
    document.add(
        support::report::Paragraph{fmt::format("normproof verify --{}: {}: {}", checker.name,
                                               to_string(checker.state), checker.summary),
                                   passed   ? Tone::good
                                   : failed ? Tone::bad
                                            : Tone::expected});
    support::report::Table table{"", support::report::text_columns({"claim", "verdict", "item"})};
    table.folded = true;
    for (const CheckedItem& item : checker.items) {
      if (wanted != ShownItems::all && item.good && item.verdict != "refuted") continue;
      table.rows.push_back(
          {{{item.claim}, {item.verdict, item.good ? Tone::good : Tone::bad}, {item.text}},
           item.good ? Tone::plain : Tone::bad});
    }
    if (!table.rows.empty()) document.add(std::move(table));
  }
}

support::report::Paragraph parse_outcome(const Report& report) {
  return {closing_line(report), succeeded(report) ? Tone::good : Tone::bad};
}

}  // namespace

std::string verify_text(const Report& report, std::size_t width) {
  Document document;
  add_claims(document, report);
  add_powers(document, report);
  add_checkers(document, report, ShownItems::refuted_or_failed);
  add_statistics(document, report);
  document.add(parse_outcome(report));
  return support::report::terminal_text(document, std::max(width, kMinWidth));
}

std::string evidence_markdown(const Report& report) {
  Document document;
  support::report::Table table{"", support::report::text_columns(
                                       {"claim", "about", "verdict", "evidence",
                                        "by, or why no theorem", "planted, and what is rejected"})};
  for (const ReportedClaim& claim : report.claims) {
    const std::string grounds = claim.theorems.empty()
                                    ? claim.evidence_detail
                                    : fmt::format("{}", fmt::join(claim.theorems, ", "));
    table.rows.push_back({{{claim.id},
                           {claim.title},
                           {verdict_text(claim)},
                           {claim.evidence},
                           {grounds},
                           {powers_text(claim)}}});
  }
  document.add(std::move(table));
  return support::report::markdown(document);
}

std::string verify_page(const Report& report) {
  Document document{"normproof: report"};
  document.add(support::report::Heading{1, "normproof: which claims hold, which do not, and why"});
  document.add(support::report::Paragraph{
      fmt::format("normproof {}; seed {}, {} for each claim; sentences: {}", report.version,
                  report.seed, plural(report.cases, "case"), report.corpus),
      Tone::soft});
  document.add(parse_outcome(report));
  add_claims(document, report);
  add_checkers(document, report, ShownItems::all);
  document.add(support::report::Figure{
      "", slack_picture(report),
      "Claims that hold stay at or below the line at 1; refuted ones lie above it. Identities that "
      "are met bit by bit stand at the bottom."});
  add_statistics(document, report);
  document.add(support::report::Figure{
      "", recursion_picture(report),
      fmt::format("Dashed: the [PAD] embedding is {} times as large. With a mask or with group "
                  "scaling this changes little. As released but without group scaling, padded rows "
                  "enter Gamma with their size squared.",
                  report.statistics.options.large_pad)});
  document.add(support::report::Figure{
      "", fluctuation_picture(report),
      "The distance of a batch's statistics from the running values that inference would use. "
      "Solid: over real tokens. Dashed: padding is counted, so that the share of padding moves the "
      "statistics from batch to batch."});
  document.add(support::report::Heading{2, "A channel that is active once every K batches"});
  document.add(support::report::Paragraph{
      "Bounded, stationary data and the algorithm of the paper, with alpha = 0.9. While the "
      "channel is inactive its running_psi2 decays, so that theta = alpha^(1-K) - alpha in the "
      "next active batch. This exceeds 2 from K = 12 on."});
  document.add(support::report::Figure{
      "", nu_picture(report), "|nu| after each active batch. At K = 12 it grows without bound."});
  document.add(support::report::Paragraph{
      fmt::format("To reproduce this report, run normproof verify --seed {} --cases {} --html FILE "
                  "with the same sentences.",
                  report.seed, report.cases),
      Tone::soft});
  return support::report::html(document);
}

}  // namespace normproof::verification::cli::verify
