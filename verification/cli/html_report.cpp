#include "verification/cli/html_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "verification/cli/html_page.hpp"
#include "verification/cli/pictures.hpp"
#include "verification/cli/text.hpp"
#include "verification/statistics/summary.hpp"

namespace normproof::verification::cli {

using statistics::BatchRecord;
using statistics::Followed;
using statistics::FollowedStep;
using statistics::Recursion;
using statistics::Stability;
using statistics::Summary;

namespace {

std::string definition(std::string_view term, const std::string& text) {
  if (text.empty()) return "";
  return fmt::format("<dt>{}</dt><dd>{}</dd>", term, escape_markup(text));
}

std::string evidence(const ReportedClaim& claim) {
  const std::string share = claim.worst_meaning.empty()
                                ? number_text(claim.worst)
                                : number_text(claim.worst) + ": " + claim.worst_meaning;
  std::string list = definition("assumptions", claim.assumptions);
  list += definition("source", claim.source);
  list += definition(
      "cases", fmt::format("{} tried, {} violate the statement; seed {}", count_text(claim.cases),
                           count_text(claim.violations), claim.seed));
  list += definition("worst share", share);
  list += definition("counterexample", claim.counterexample);
  list += definition("more", claim.detail);
  list += definition("failure", claim.failure);
  return fmt::format("<details{}><summary>evidence</summary><dl>{}</dl></details>",
                     claim.as_expected ? "" : " open", list);
}

std::string claim_row(const ReportedClaim& claim) {
  const std::string_view kind = !claim.as_expected ? "unexpected"
                                : claim.holds      ? "holds"
                                                   : "refuted";
  const std::string dropped =
      claim.dropped.empty()
          ? ""
          : fmt::format("<div class=\"dropped\">dropped: {}</div>", escape_markup(claim.dropped));
  return fmt::format(
      "<tr class=\"{}\" id=\"claim-{}\"><td class=\"id\">{}</td><td class=\"claim\"><b>{}</b><br>{}"
      "{}{}</td><td class=\"verdict\">{}</td><td class=\"number\" data-label=\"cases\">{}</td>"
      "<td class=\"number\" data-label=\"worst share\">{}</td></tr>\n",
      kind, escape_markup(claim.id), escape_markup(claim.id), escape_markup(claim.title),
      escape_markup(claim.statement), dropped, evidence(claim), escape_markup(verdict_text(claim)),
      count_text(claim.cases), number_text(claim.worst));
}

std::string claims_section(const Report& report) {
  std::string html =
      "<h2>Claims</h2>\n<p>Each claim was tried on random cases. A claim that should not hold is "
      "one whose assumption was dropped on purpose; its counterexample was made as small as "
      "possible. The worst share is the largest part of its bound that any case attained: up to 1 "
      "the bound is met.</p>\n";
  html += figure(slack_picture(report),
                 "Claims that hold stay at or below the line at 1; refuted ones lie above it. "
                 "Identities that are met bit by bit stand at the bottom.");
  html +=
      "<div class=\"wide\"><table class=\"claims\"><thead><tr><th>claim</th><th>statement</th>"
      "<th>verdict</th><th class=\"number\">cases</th><th class=\"number\">worst share</th></tr>"
      "</thead><tbody>\n";
  for (const ReportedClaim& claim : report.claims) html += claim_row(claim);
  return html + "</tbody></table></div>\n";
}

std::string cell(const std::optional<Summary>& summary) {
  if (!summary) return "<td class=\"number\"></td>";
  return fmt::format("<td class=\"number\">{:.2e} <span class=\"facts\">({:.2e})</span></td>",
                     summary->mean, summary->largest);
}

std::string fluctuation_table(const Report& report, Summary statistics::FluctuationSummary::*part) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th>layer</th><th class=\"number\">mean</th>"
      "<th class=\"number\">variance</th><th class=\"number\">quadratic mean</th></tr></thead>"
      "<tbody>\n";
  for (const Followed& followed : report.statistics.followed) {
    html += fmt::format("<tr><td>{}</td>", escape_markup(followed.scenario.name));
    for (const auto member :
         {&FollowedStep::mean, &FollowedStep::variance, &FollowedStep::quadratic_mean}) {
      const auto summary = statistics::summarize(followed, member);
      html += cell(summary ? std::optional(*summary.*part) : std::nullopt);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string recursion_table(const Report& report) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th>layer</th><th class=\"number\">largest theta</th>"
      "<th class=\"number\">steps above 1</th><th class=\"number\">largest |nu|</th><th>so</th>"
      "</tr></thead><tbody>\n";
  for (const Followed& followed : report.statistics.followed) {
    const auto nu = statistics::summarize(followed, &Recursion::max_nu);
    if (!nu) continue;
    const auto& stability = followed.stability;
    const bool error = stability.stability == Stability::error;
    html += fmt::format(
        "<tr class=\"{}\"><td>{}<div class=\"facts\">{}</div></td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"verdict\">{}</td></tr>\n",
        error && followed.scenario.decides ? "unexpected" : "",
        escape_markup(followed.scenario.name), escape_markup(followed.scenario.description),
        number_text(stability.max_theta), count_text(stability.steps_above_one),
        number_text(nu->largest),
        error ? followed.scenario.decides ? "error" : "diverges" : to_string(stability.stability));
  }
  return html + "</tbody></table></div>\n";
}

std::string mask_table(const Report& report) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th>statistic</th><th class=\"number\">least "
      "change</th>"
      "<th class=\"number\">mean change</th><th class=\"number\">largest change</th></tr></thead>"
      "<tbody>\n";
  const auto row = [&](std::string_view name, double BatchRecord::*quantity) {
    const Summary change = statistics::summarize(report.statistics, quantity);
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        name, number_text(change.least), number_text(change.mean), number_text(change.largest));
  };
  row("mean", &BatchRecord::mean_change);
  row("variance", &BatchRecord::variance_change);
  row("quadratic mean", &BatchRecord::quadratic_mean_change);
  return html + "</tbody></table></div>\n";
}

std::string statistics_section(const Report& report) {
  const statistics::Statistics& s = report.statistics;
  const Summary pads = statistics::summarize(s, &BatchRecord::pad_fraction);
  std::string html = fmt::format(
      "<h2>Statistics over batches of sentences</h2>\n<p>{}: {} with {}, the longest of {}. "
      "Batches "
      "of {} sentences, each as long as its longest one, {}; random embeddings of width {} and "
      "random upstream gradients, so this is what a norm layer behind the embedding meets when "
      "training begins. Padding takes {} to {} of the positions, {} on average; padded to {} it "
      "would take {}.</p>\n",
      escape_markup(report.corpus), plural(s.corpus.sentences, "sentence"),
      plural(s.corpus.tokens, "token"), s.corpus.longest, s.options.batch_size,
      plural(s.options.steps, "step"), s.options.d_model, percent(pads.least),
      percent(pads.largest), percent(pads.mean), s.options.published_length,
      percent(s.corpus.published_pad_fraction));
  html += figure(fluctuation_picture(report),
                 "How far the statistics of a batch lie from the running values that inference "
                 "would use. Solid: over real tokens. Dashed: with the padding counted, where the "
                 "share of padding moves the statistics from batch to batch.");
  html += "<h3>(1/d) ||batch - running||: mean over the steps, and the largest</h3>\n";
  html += fluctuation_table(report, &statistics::FluctuationSummary::absolute);
  html += "<h3>The same, relative to the size of the running value</h3>\n";
  html += fluctuation_table(report, &statistics::FluctuationSummary::relative);
  html +=
      "<h3>What counting the padding does to a batch's statistics, relative to those over real "
      "tokens</h3>\n";
  html += mask_table(report);
  html +=
      s.padding_is_inert
          ? "<p>With the mask, the statistics of PowerNorm are the same bits whatever the [PAD] "
            "embedding is.</p>\n"
          : "<p class=\"outcome bad\">With the mask, the statistics of PowerNorm still depend on "
            "the [PAD] embedding.</p>\n";
  html +=
      "<h3>The recursion of nu</h3>\n<p>PowerNorm's backward moves nu to nu (1 - theta) + ..., "
      "theta = (1 - alpha) Gamma in each channel: a convex combination up to 1, a growing "
      "oscillation above 2.</p>\n";
  html +=
      figure(recursion_picture(report),
             fmt::format("Dashed: the [PAD] embedding is {} times as large. Masked, or with group "
                         "scaling, that changes nothing much; as released but without group "
                         "scaling, padded rows enter Gamma with their size squared.",
                         s.options.large_pad));
  return html + recursion_table(report);
}

std::string nu_section(const Report& report) {
  return "<h2>A channel that is active once every K batches</h2>\n<p>Bounded, stationary data and "
         "the paper's own algorithm, alpha = 0.9: while the channel is quiet its running_psi2 "
         "decays, so that the next active batch meets theta = alpha<sup>-(K-1)</sup> - alpha. That "
         "passes 2 between K = 11 and K = 12.</p>\n" +
         figure(nu_picture(report),
                "|nu| after each active batch. At K = 12 it grows without end.");
}

}  // namespace

std::string html_report(const Report& report) {
  const std::string head = fmt::format(
      "<h1>normproof: what holds, what does not, and why</h1>\n"
      "<p class=\"facts\">normproof {}; seed {}, {} for each claim; sentences: {}</p>\n"
      "<p class=\"outcome {}\">{}</p>\n",
      escape_markup(report.version), report.seed, plural(report.cases, "case"),
      escape_markup(report.corpus), succeeded(report) ? "good" : "bad",
      escape_markup(closing_line(report)));
  const std::string foot = fmt::format(
      "<footer>To have this report again: normproof verify --seed {} --cases {} --html "
      "FILE, with the same sentences.</footer>\n",
      report.seed, report.cases);
  return html_page("normproof: report", head + claims_section(report) + statistics_section(report) +
                                            nu_section(report) + foot);
}

}  // namespace normproof::verification::cli
