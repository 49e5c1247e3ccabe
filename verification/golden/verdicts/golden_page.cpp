#include "verification/golden/verdicts/golden_page.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "verification/report/heat_map.hpp"
#include "verification/report/html.hpp"
#include "verification/report/text.hpp"

namespace normproof::verification::golden::verdicts {

using gate::TensorResult;
using report::Document;
using report::number_text;
using report::Problem;

namespace {

struct WorstOutput {
  const CheckedCase* of = nullptr;
  const TensorResult* output = nullptr;
};

/// The failed output that is farthest beyond its bound, the first of several.
WorstOutput worst_output(const GoldenReport& report) {
  WorstOutput worst;
  for (const CheckedCase& c : report.cases) {
    if (c.outcome != Outcome::failed) continue;
    for (const TensorResult& t : c.result.tensors)
      if (!t.map.shares.empty() && (worst.output == nullptr || t.ratio > worst.output->ratio))
        worst = {&c, &t};
  }
  return worst;
}

report::Figure map_figure(const WorstOutput& worst) {
  const gate::ShareMap& map = worst.output->map;
  const std::string what = fmt::format("Error over bound of {} in {}", worst.output->name,
                                       worst.of->result.description.path);
  report::HeatMap picture{{}, map.columns, map.shares};
  for (const std::string& row : map.rows) picture.rows.push_back("row " + row);
  return {"", report::draw_heat_map(picture, what),
          fmt::format("{}: {} of {} elements are beyond their bound, the farthest, {} times as far "
                      "off as it allows, at {}. Rows are all axes but the last; a square with "
                      "several elements shows the worst of them.",
                      what, worst.output->failed.size(), worst.output->count,
                      number_text(worst.output->ratio), worst.output->where)};
}

/// The parts of the document that are of this kind, but for a problem of the case at that path.
template <class Kind>
std::vector<report::Part> parts_of(const Document& document, const std::string& without = {}) {
  std::vector<report::Part> parts;
  for (const report::Part& part : document.parts) {
    if (!std::holds_alternative<Kind>(part)) continue;
    const auto* const problem = std::get_if<Problem>(&part);
    if (problem == nullptr || problem->subject != without) parts.push_back(part);
  }
  return parts;
}

void add_section(Document& page, const char* heading, std::vector<report::Part> parts) {
  if (parts.empty()) return;
  page.add(report::Heading{2, heading});
  for (report::Part& part : parts) page.add(std::move(part));
}

}  // namespace

std::string golden_page(const GoldenReport& report) {
  const Document whole = golden_document(report);
  Document page{whole.title};
  page.add(report::Heading{1, "normproof: an implementation held against certified values"});
  page.add(report::Paragraph{report.summary(),
                             report.passed() ? report::Tone::good : report::Tone::bad});
  for (const auto& lines :
       {corpus_lines(report), diagnosis_lines(report), declined_lines(report), note_lines(report)})
    for (const std::string& line : lines) page.add(report::Paragraph{line});
  std::string shown;
  if (const WorstOutput worst = worst_output(report); worst.output != nullptr) {
    shown = worst.of->result.description.path;
    page.add(report::Heading{2, "The worst case"});
    for (const report::Part& part : whole.parts)
      if (const auto* const problem = std::get_if<Problem>(&part);
          problem != nullptr && problem->subject == shown)
        page.add(*problem);
    page.add(map_figure(worst));
  }
  add_section(page, "Every output", parts_of<report::Table>(whole));
  add_section(page, shown.empty() ? "Failures" : "Other failures", parts_of<Problem>(whole, shown));
  return report::html(page);
}

}  // namespace normproof::verification::golden::verdicts
