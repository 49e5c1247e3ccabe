#include "verification/cli/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

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

constexpr std::size_t kLeastWidth = 80;
constexpr std::string_view kIndent = "  ";

std::string indented(const std::string& text, std::size_t width, std::string_view indent) {
  std::string result;
  for (const std::string& line : wrap(clean_line(text), width - indent.size()))
    result += fmt::format("{}{}\n", indent, line);
  return result;
}

/// "3.1e-03 (4.9e-03)": mean and largest over the steps.
std::string mean_and_largest(const std::optional<Summary>& summary) {
  return summary ? fmt::format("{:.1e} ({:.1e})", summary->mean, summary->largest) : "";
}

std::string fluctuation_rows(const Report& report, std::size_t name_width,
                             Summary statistics::FluctuationSummary::*part) {
  std::string text;
  for (const Followed& followed : report.statistics.followed) {
    const auto cell = [&](std::optional<statistics::Fluctuation> FollowedStep::*member) {
      const auto summary = statistics::summarize(followed, member);
      return mean_and_largest(summary ? std::optional(*summary.*part) : std::nullopt);
    };
    std::string line =
        fmt::format("  {}{:<18}{:<18}{}", pad_right(followed.scenario.name, name_width),
                    cell(&FollowedStep::mean), cell(&FollowedStep::variance),
                    cell(&FollowedStep::quadratic_mean));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string stability_remark(const Followed& followed) {
  const auto& report = followed.stability;
  switch (report.stability) {
    case Stability::stable:
      return "stable";
    case Stability::warning:
      return fmt::format("WARNING from step {}", report.first_above_one);
    case Stability::error:
      break;
  }
  return fmt::format("{} from step {}", followed.scenario.decides ? "ERROR" : "diverges",
                     report.first_error);
}

std::string recursion_rows(const Report& report, std::size_t name_width) {
  std::string text;
  for (const Followed& followed : report.statistics.followed) {
    const auto nu = statistics::summarize(followed, &Recursion::max_nu);
    if (!nu) continue;
    text += fmt::format("  {}{:<11}{:<11}{:<10}{}\n", pad_right(followed.scenario.name, name_width),
                        number_text(followed.stability.max_theta),
                        count_text(followed.stability.steps_above_one), number_text(nu->largest),
                        stability_remark(followed));
  }
  return text;
}

std::string mask_text(const Report& report, std::size_t width) {
  const auto change = [&](double BatchRecord::*quantity) {
    const Summary summary = statistics::summarize(report.statistics, quantity);
    return fmt::format("{} to {}, {} on average", number_text(summary.least),
                       number_text(summary.largest), number_text(summary.mean));
  };
  std::string text = indented(
      "Counting the padding changes a batch's statistics, relative to those over real tokens:",
      width, kIndent);
  text += fmt::format("    mean            {}\n", change(&BatchRecord::mean_change));
  text += fmt::format("    variance        {}\n", change(&BatchRecord::variance_change));
  text += fmt::format("    quadratic mean  {}\n", change(&BatchRecord::quadratic_mean_change));
  text += indented(report.statistics.padding_is_inert
                       ? "With the mask, PowerNorm's statistics are the same bits whatever the "
                         "[PAD] embedding is."
                       : "ERROR: with the mask, PowerNorm's statistics still depend on the [PAD] "
                         "embedding.",
                   width, kIndent);
  return text;
}

}  // namespace

std::string claims_table(const Report& report, std::size_t width) {
  width = std::max(width, kLeastWidth);
  std::size_t id_width = 5;
  std::size_t verdict_width = 7;
  std::size_t cases_width = 5;
  for (const ReportedClaim& claim : report.claims) {
    id_width = std::max(id_width, display_width(claim.id));
    verdict_width = std::max(verdict_width, display_width(verdict_text(claim)));
    cases_width = std::max(cases_width, count_text(claim.cases).size());
  }
  const std::size_t before = id_width + 2 + verdict_width + 2 + cases_width + 2 + 8 + 2;
  std::string text =
      indented(fmt::format("Claims, each on {} or more (seed {}). worst: the largest share of its "
                           "bound that a case attained; more than 1 violates the claim.",
                           plural(report.cases, "case"), report.seed),
               width, "");
  text += fmt::format("\n{}  {}  {:>{}}  {:<8}  statement\n", pad_right("claim", id_width),
                      pad_right("verdict", verdict_width), "cases", cases_width, "worst");
  for (const ReportedClaim& claim : report.claims) {
    text += fmt::format("{}  {}  {:>{}}  {:<8}  {}\n", pad_right(claim.id, id_width),
                        pad_right(verdict_text(claim), verdict_width), count_text(claim.cases),
                        cases_width, number_text(claim.worst),
                        cut(clean_line(claim.statement), width - before));
    const std::string indent(id_width + 2, ' ');
    if (!claim.as_expected) text += indented(claim.statement, width, indent);
    for (const std::string& reason : reasons(claim)) {
      text += claim.as_expected ? indent + cut(clean_line(reason), width - indent.size()) + "\n"
                                : indented(reason, width, indent);
    }
    if (!claim.as_expected) text += indented(claim.detail, width, indent);
  }
  return text;
}

std::string statistics_text(const Report& report, std::size_t width) {
  width = std::max(width, kLeastWidth);
  const statistics::Statistics& s = report.statistics;
  std::size_t name_width = 0;
  for (const Followed& followed : s.followed)
    name_width = std::max(name_width, display_width(followed.scenario.name) + 2);
  name_width = std::min(name_width, width - 55);
  const Summary pads = statistics::summarize(s, &BatchRecord::pad_fraction);

  std::string text = fmt::format("Statistics over batches of sentences: {}\n", report.corpus);
  text += indented(
      fmt::format("{}, {}, the longest of {}; batches of {}, {}; random embeddings of width {}, "
                  "random upstream gradients.",
                  plural(s.corpus.sentences, "sentence"), plural(s.corpus.tokens, "token"),
                  s.corpus.longest, s.options.batch_size, plural(s.options.steps, "step"),
                  s.options.d_model),
      width, kIndent);
  text += indented(fmt::format("Padding takes {} to {} of the positions, {} on average; padded to "
                               "{} it would take {}. A large [PAD] is {} times as large.",
                               percent(pads.least), percent(pads.largest), percent(pads.mean),
                               s.options.published_length, percent(s.corpus.published_pad_fraction),
                               s.options.large_pad),
                   width, kIndent);
  text += '\n';
  text += indented(
      "Distance of a batch's statistics from the running ones, mean (and "
      "largest) over the steps",
      width, kIndent);
  text += fmt::format("  {}{:<18}{:<18}quadratic mean\n", pad_right("(1/d) ||.||", name_width),
                      "mean", "variance");
  text += fluctuation_rows(report, name_width, &statistics::FluctuationSummary::absolute);
  text += fmt::format("{}relative\n", kIndent);
  text += fluctuation_rows(report, name_width, &statistics::FluctuationSummary::relative);
  text += '\n';
  text += indented(
      "The recursion nu <- nu (1 - theta) + ..., theta = (1 - alpha) Gamma: a "
      "warning above 1, an error at 2 or more twice running",
      width, kIndent);
  text += fmt::format("  {}{:<11}{:<11}max |nu|\n", pad_right("", name_width), "max theta",
                      "steps > 1");
  text += recursion_rows(report, name_width);
  text += '\n';
  text += mask_text(report, width);
  return text;
}

std::string text_report(const Report& report, std::size_t width) {
  width = std::max(width, kLeastWidth);
  std::string text = claims_table(report, width) + "\n" + statistics_text(report, width) + "\n";
  for (const std::string& line : wrap(closing_line(report), width)) text += line + "\n";
  return text;
}

}  // namespace normproof::verification::cli
