#include "verification/cli/regress_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "verification/cli/curves.hpp"
#include "verification/cli/html_page.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

using regression::Direction;
using regression::ErrorStatistics;
using regression::LayerError;
using regression::Movement;
using regression::Recording;

namespace {

// What lies beyond is drawn at the edge.
constexpr double kLeastError = 1e-6;
constexpr double kMostError = 1e12;
constexpr std::size_t kMostTics = 40;
constexpr std::size_t kColoursOfCurves = 8;

std::string recordings_table(const RegressReport& report) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th class=\"number\">line</th><th>label</th>"
      "<th>candidate</th><th>environment</th><th class=\"number\">answered</th>"
      "<th class=\"number\">worst share</th><th>results</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < report.recordings.size(); ++i) {
    const Recording& recording = report.recordings[i];
    double worst = 0;
    for (const LayerError& layer : recording.layers) worst = std::max(worst, layer.error.max_share);
    std::string environment;
    for (const auto& [name, value] : recording.environment)
      environment += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_markup(clean_line(name)),
                                 escape_markup(clean_line(value)));
    // Two recordings of the same answers have the same results.
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td class=\"id\">{}</td><td>{}</td><td><details><summary>"
        "environment</summary><dl>{}</dl></details></td><td class=\"number\">{} of {}</td>"
        "<td class=\"number\">{}</td><td>{}</td></tr>\n",
        i + 1, escape_markup(clean_line(recording.label)),
        escape_markup(clean_line(recording.candidate)), environment, count_text(recording.answered),
        count_text(recording.cases), number_text(worst), recording.results_sha256.substr(0, 12));
  }
  return html + "</tbody></table></div>\n";
}

std::string movements_table(const RegressReport& report) {
  if (report.change.movements.empty()) return "<p>Every answer has the same bits.</p>\n";
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th>case</th><th>output</th><th>the truth</th>"
      "<th>what moved</th></tr></thead><tbody>\n";
  for (const Movement& movement : report.change.movements)
    html += fmt::format(
        "<tr class=\"{}\"><td>{}</td><td class=\"id\">{}</td><td class=\"verdict\">{}</td>"
        "<td>{}</td></tr>\n",
        report.is_allowed(movement) ? "holds" : "unexpected", escape_markup(movement.path),
        escape_markup(movement.output), cli::to_string(movement.direction),
        escape_markup(movement_text(movement)));
  return html + "</tbody></table></div>\n";
}

std::string error_figure(const RegressReport& report, const char* id, const char* title,
                         double ErrorStatistics::*statistic, const char* caption) {
  return figure(draw(error_script(report, title, statistic), id, title, 1100, 520), caption);
}

}  // namespace

std::string error_script(const RegressReport& report, const char* title,
                         double ErrorStatistics::*statistic) {
  std::map<std::string, Curve> layers;
  std::string tics;
  const std::size_t count = report.recordings.size(), every = count / kMostTics + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name =
        report.recordings[i].label.empty() ? fmt::format("@{}", i + 1) : report.recordings[i].label;
    if (i % every == 0)
      tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ",
                          gnuplot_text(cut(clean_line(name), 16)), i + 1);
    for (const LayerError& layer : report.recordings[i].layers)
      layers[layer.layer].points.emplace_back(
          static_cast<double>(i + 1), std::clamp(layer.error.*statistic, kLeastError, kMostError));
  }
  std::vector<Curve> curves;
  for (auto& [name, curve] : layers) {
    curve.title = name;
    const std::string style = line(curves.size(), curves.size() >= kColoursOfCurves);
    curve.style = fmt::format("with linespoints pointtype 7 pointsize 0.5{}",
                              style.substr(std::string_view("with lines").size()));
    curves.push_back(std::move(curve));
  }
  return common(title) +
         fmt::format(
             "set logscale y\nset format y '10^{{%T}}'\nset xrange [0.5:{}.5]\n"
             "set xtics noenhanced rotate by -45 ({})\nset key outside right noenhanced\n",
             count, tics) +
         plot(curves);
}

std::string regress_page(const RegressReport& report) {
  std::string body =
      fmt::format("<h1>normproof: what moved, and where to</h1>\n<p class=\"outcome {}\">{}</p>\n",
                  report.passed() ? "good" : "bad", escape_markup(report.summary()));
  body += "<h2>The error over the history</h2>\n";
  body +=
      error_figure(report, "mean", "Mean share of the bound", &ErrorStatistics::mean_share,
                   "The mean over the outputs of a layer of the mean over their elements. Every "
                   "element counts by what its inputs allow a correct implementation.");
  body += error_figure(report, "share", "Largest share of the bound", &ErrorStatistics::max_share,
                       "The element that comes closest to what a correct implementation may do, or "
                       "passes it: above 1 it fails the gate.");
  body += error_figure(
      report, "ulp", "Mean error in units in the last place", &ErrorStatistics::mean_ulp,
      "The same in units in the last place of the exact value, where large offsets "
      "and small variances weigh most.");
  body +=
      fmt::format("<h2>{} to {}</h2>\n",
                  escape_markup(clean_line(regression::name_of(report.recordings, report.from))),
                  escape_markup(clean_line(regression::name_of(report.recordings, report.to))));
  body += movements_table(report);
  body += "<h2>Recordings</h2>\n" + recordings_table(report);
  return html_page("normproof: regression", body);
}

}  // namespace normproof::verification::cli
