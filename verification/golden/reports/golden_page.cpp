#include "verification/golden/reports/golden_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

#include "verification/golden/reports/golden_document.hpp"
#include "verification/golden/reports/report_lines.hpp"
#include "verification/support/report/heat_map.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::TensorResult;
using support::report::count_text;
using support::report::Document;
using support::report::number_text;
using support::report::plural;
using support::report::Problem;

namespace {

/// The maximum number of pictures, not counting that of the worst case, and the maximum total
/// number of squares in these pictures. A square takes about 150 bytes.
constexpr std::size_t kMaxMaps = 40, kMaxSquares = 12'000;

struct WorstOutput {
  const CheckedCase* of = nullptr;
  const TensorResult* output = nullptr;
};

/// Returns the failed output that exceeds its bound most among the outputs of a case. If several
/// exceed their bounds equally, the first one is returned. The result is empty if the case did not
/// fail or nothing was compared.
WorstOutput worst_output(const CheckedCase& c) {
  WorstOutput worst;
  if (c.outcome != Outcome::failed) return worst;
  for (const TensorResult& t : c.result.tensors)
    if (!t.map.error_ratios.empty() && (worst.output == nullptr || t.ratio > worst.output->ratio))
      worst = {&c, &t};
  return worst;
}

/// Returns the output that exceeds its bound most, over all cases. Failures that one rounding of
/// the inputs explains count only if there are no others.
WorstOutput worst_output(const GoldenReport& report) {
  WorstOutput worst;
  for (const bool within_input_rounding : {false, true})
    for (const CheckedCase& c : report.cases) {
      const WorstOutput worst_of_case = worst_output(c);
      if (worst_of_case.output == nullptr || is_within_input_rounding(c) != within_input_rounding)
        continue;
      if (within_input_rounding && worst.of != nullptr && !is_within_input_rounding(*worst.of))
        return worst;
      if (worst.output == nullptr || worst_of_case.output->ratio > worst.output->ratio)
        worst = worst_of_case;
    }
  return worst;
}

/// Returns the name of the row with the largest ratio of error to bound. If several rows have this
/// ratio, the first one is returned.
const std::string& worst_row(const gate::ErrorRatioMap& map) {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < map.error_ratios.size(); ++i)
    if (std::isnan(map.error_ratios[worst]) || map.error_ratios[i] > map.error_ratios[worst])
      worst = i;
  return map.rows[worst / map.columns.size()];
}

support::report::Figure map_figure(const WorstOutput& worst) {
  const gate::ErrorRatioMap& map = worst.output->map;
  const std::string what = fmt::format("Error over bound of {} in {}", worst.output->name,
                                       worst.of->result.description.path);
  support::report::HeatMap picture{{}, map.columns, map.error_ratios};
  for (const std::string& row : map.rows) picture.rows.push_back("row " + row);
  return {"", support::report::draw_heat_map(picture, what),
          fmt::format("{}: {} of {} are beyond their bound. The farthest has {} times the error "
                      "that its bound allows, at {}; the worst row is {}.",
                      what, count_text(worst.output->failed.size()),
                      plural(worst.output->count, "element"), number_text(worst.output->ratio),
                      worst.output->where, worst_row(map))};
}

/// Returns every failure except the one whose subject is `shown`, sorted by path. Each failure is
/// followed by the picture of its worst output, as long as there are fewer pictures than the
/// maximum.
std::vector<support::report::Part> list_failures_with_maps(const GoldenReport& report,
                                                           const Document& document,
                                                           const std::string& shown) {
  std::map<std::string, WorstOutput> worst;
  for (const CheckedCase& c : report.cases) worst[c.result.description.path] = worst_output(c);
  std::vector<support::report::Part> parts;
  std::size_t maps = 0, squares = 0, left_out = 0;
  for (const support::report::Part& part : document.parts) {
    const auto* const problem = std::get_if<Problem>(&part);
    if (problem == nullptr || problem->subject == shown) continue;
    parts.push_back(part);
    const WorstOutput& worst_of_case = worst[problem->subject];
    if (worst_of_case.output == nullptr) continue;
    const std::size_t more = worst_of_case.output->map.error_ratios.size();
    if (maps == kMaxMaps || squares + more > kMaxSquares) {
      ++left_out;
      continue;
    }
    parts.push_back(map_figure(worst_of_case));
    ++maps;
    squares += more;
  }
  if (left_out > 0)
    parts.insert(parts.begin(),
                 support::report::Paragraph{fmt::format(
                     "{} of {} are left out. Beside the map of the worst case this page has room "
                     "for {} of {} squares in total. The page of a single case has its map.",
                     count_text(left_out), plural(maps + left_out, "map"), plural(kMaxMaps, "map"),
                     count_text(kMaxSquares))});
  return parts;
}

std::vector<support::report::Part> make_tables(const Document& document) {
  std::vector<support::report::Part> parts;
  for (const support::report::Part& part : document.parts)
    if (std::holds_alternative<support::report::Table>(part)) parts.push_back(part);
  return parts;
}

void add_section(Document& page, const char* heading, std::vector<support::report::Part> parts) {
  if (parts.empty()) return;
  page.add(support::report::Heading{2, heading});
  for (support::report::Part& part : parts) page.add(std::move(part));
}

}  // namespace

std::string golden_page(const GoldenReport& report) {
  const Document whole = golden_document(report);
  Document page{whole.title};
  page.add(
      support::report::Heading{1, "normproof: an implementation checked against certified values"});
  page.add(support::report::Paragraph{report.summary(), report.passed()
                                                            ? support::report::Tone::good
                                                            : support::report::Tone::bad});
  for (const auto& lines :
       {corpus_lines(report), diagnosis_lines(report), declined_lines(report), note_lines(report)})
    for (const std::string& line : lines) page.add(support::report::Paragraph{line});
  std::string shown;
  if (const WorstOutput worst = worst_output(report); worst.output != nullptr) {
    shown = worst.of->result.description.path;
    page.add(support::report::Heading{2, "The worst case"});
    for (const support::report::Part& part : whole.parts)
      if (const auto* const problem = std::get_if<Problem>(&part);
          problem != nullptr && problem->subject == shown)
        page.add(*problem);
    page.add(map_figure(worst));
    page.add(
        support::report::Paragraph{"The rows of a map are all axes but the last. A square for "
                                   "several elements shows the worst of them.",
                                   support::report::Tone::soft});
  }
  add_section(page, "Every output", make_tables(whole));
  add_section(page, shown.empty() ? "Failures" : "Other failures",
              list_failures_with_maps(report, whole, shown));
  return support::report::html(page);
}

}  // namespace normproof::verification::golden::reports
