#include "verification/cli/regress/regress_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "verification/support/report/curves.hpp"
#include "verification/support/report/gnuplot.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::regress {

using checks::regression::Direction;
using checks::regression::ErrorStatistics;
using checks::regression::LayerError;
using checks::regression::OutputChange;
using checks::regression::Recording;
using support::report::clean_line;
using support::report::count_text;
using support::report::Curve;
using support::report::cut;
using support::report::draw;
using support::report::gnuplot_text;
using support::report::line;
using support::report::number_text;
using support::report::picture_preamble;
using support::report::plot;

namespace {

// The smallest and the largest error of the axis. Errors outside this range are drawn at its edge.
constexpr double kMinError = 1e-6;
constexpr double kMaxError = 1e12;
constexpr std::size_t kMaxTics = 40;

support::report::Table recordings_table(const RegressReport& report) {
  support::report::Table table{"",
                               {support::report::number_column("line"),
                                {"label"},
                                {"candidate"},
                                support::report::number_column("answered"),
                                support::report::number_column("worst share"),
                                {"results"},
                                {"environment"}}};
  for (std::size_t i = 0; i < report.recordings.size(); ++i) {
    const Recording& recording = report.recordings[i];
    double worst = 0;
    for (const LayerError& layer : recording.layers) worst = std::max(worst, layer.error.max_share);
    support::report::Details environment{"environment"};
    for (const auto& [name, value] : recording.environment)
      environment.terms.emplace_back(name, value);
    // Recordings with equal outputs have equal statistics.
    table.rows.push_back(
        {{{std::to_string(i + 1)},
          {recording.label},
          {recording.candidate},
          {fmt::format("{} of {}", count_text(recording.answered), count_text(recording.cases))},
          {number_text(worst)},
          {recording.results_sha256.substr(0, 12)},
          {.text = "", .details = std::move(environment)}}});
  }
  return table;
}

support::report::Table output_changes_table(const RegressReport& report) {
  support::report::Table table{
      "", support::report::text_columns({"case", "output", "the truth", "what moved"})};
  table.stacks = true;
  for (const OutputChange& movement : report.change.movements) {
    const auto tone =
        report.is_allowed(movement) ? support::report::Tone::good : support::report::Tone::bad;
    table.rows.push_back({{{movement.path},
                           {movement.output},
                           {std::string(to_string(movement.direction)), tone},
                           {output_change_text(movement)}},
                          tone});
  }
  return table;
}

support::report::Figure error_figure(const RegressReport& report, const char* id, const char* title,
                                     double ErrorStatistics::*statistic, const char* caption) {
  return {"", draw(error_script(report, title, statistic), id, title, 1100, 520), caption};
}

}  // namespace

std::string error_script(const RegressReport& report, const char* title,
                         double ErrorStatistics::*statistic) {
  std::map<std::string, Curve> layers;
  std::string tics;
  const std::size_t count = report.recordings.size(), every = count / kMaxTics + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name =
        report.recordings[i].label.empty() ? fmt::format("@{}", i + 1) : report.recordings[i].label;
    if (i % every == 0)
      tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ",
                          gnuplot_text(cut(clean_line(name), 16)), i + 1);
    for (const LayerError& layer : report.recordings[i].layers)
      layers[layer.layer].points.emplace_back(
          static_cast<double>(i + 1), std::clamp(layer.error.*statistic, kMinError, kMaxError));
  }
  std::vector<Curve> curves;
  for (auto& [name, curve] : layers) {
    curve.title = name;
    const std::string style =
        line(curves.size(), curves.size() >= support::report::kMaxCurveColors);
    curve.style = fmt::format("with linespoints pointtype 7 pointsize 0.5{}",
                              style.substr(std::string_view("with lines").size()));
    curves.push_back(std::move(curve));
  }
  return picture_preamble(title) +
         fmt::format(
             "set logscale y\nset format y '10^{{%T}}'\nset xrange [0.5:{}.5]\n"
             "set xtics noenhanced rotate by -45 ({})\nset key outside right noenhanced\n",
             count, tics) +
         plot(curves);
}

support::report::Document regress_document(const RegressReport& report) {
  support::report::Document document{"normproof: regression"};
  document.add(
      support::report::Heading{1, "normproof: outputs that changed between two recordings"});
  document.add(support::report::Paragraph{report.summary(), report.passed()
                                                                ? support::report::Tone::good
                                                                : support::report::Tone::bad});
  document.add(support::report::Heading{2, "The error over the history"});
  document.add(error_figure(
      report, "mean", "Mean share of the bound", &ErrorStatistics::mean_share,
      "For each layer, the mean over its outputs of the mean share over their elements. A share is "
      "the error divided by the bound of a correct implementation."));
  document.add(
      error_figure(report, "share", "Largest share of the bound", &ErrorStatistics::max_share,
                   "The largest share of any element. Above 1 the element fails `golden check`."));
  document.add(error_figure(report, "ulp", "Mean error in units in the last place",
                            &ErrorStatistics::mean_ulp,
                            "The same error in units in the last place of the exact value. Large "
                            "offsets and small variances weigh most here."));
  document.add(support::report::Heading{
      2, fmt::format("{} to {}", checks::regression::name_of(report.recordings, report.from),
                     checks::regression::name_of(report.recordings, report.to))});
  if (report.change.movements.empty())
    document.add(support::report::Paragraph{"Every output has the same bits."});
  else
    document.add(output_changes_table(report));
  document.add(support::report::Heading{2, "Recordings"});
  document.add(recordings_table(report));
  return document;
}

}  // namespace normproof::verification::cli::regress
