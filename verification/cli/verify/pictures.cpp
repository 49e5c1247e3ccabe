#include "verification/cli/verify/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "verification/support/report/curves.hpp"
#include "verification/support/report/gnuplot.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using checks::statistics::BatchRecord;
using checks::statistics::Fluctuation;
using checks::statistics::NuUpdate;
using checks::statistics::RecordedScenario;
using checks::statistics::RecordedStep;
using support::report::Curve;
using support::report::draw;
using support::report::gnuplot_text;
using support::report::line;
using support::report::number_text;
using support::report::picture_preamble;
using support::report::plot;

namespace {

constexpr double kSlackFloor = 1e-3;
constexpr double kSlackCeiling = 1e3;
// The largest value that is drawn. gnuplot reads numbers as double, and a logarithmic axis shows
// nothing useful beyond this value.
constexpr double kMaxDrawnValue = 1e300;

std::vector<std::pair<double, double>> make_points(
    const RecordedScenario& followed,
    const std::function<std::optional<double>(const RecordedStep&)>& value) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    if (const auto y = value(followed.steps[i]))
      points.emplace_back(static_cast<double>(i + 1), std::min(*y, kMaxDrawnValue));
  }
  return points;
}

std::vector<Curve> fluctuation_curves(const Report& report) {
  constexpr std::array<std::pair<std::string_view, std::optional<Fluctuation> RecordedStep::*>, 3>
      kStatistics = {{{"mean", &RecordedStep::mean},
                      {"variance", &RecordedStep::variance},
                      {"quadratic mean", &RecordedStep::quadratic_mean}}};
  std::vector<Curve> curves;
  for (const RecordedScenario& followed : report.statistics.followed) {
    const bool released =
        std::holds_alternative<ref::model::PowerNormReleasedOptions>(followed.scenario.options);
    const bool paper = !released && followed.scenario.pad_scale == 1;
    if (!paper) continue;
    for (std::size_t colour = 0; colour < kStatistics.size(); ++colour) {
      const auto member = kStatistics[colour].second;
      const bool masked = followed.scenario.masked;
      curves.push_back(
          {fmt::format("{}{}", kStatistics[colour].first,
                       masked ? ", real tokens" : ", padding counted"),
           line(colour, !masked), make_points(followed, [member](const RecordedStep& step) {
             return step.*member ? std::optional((step.*member)->relative) : std::nullopt;
           })});
    }
  }
  return curves;
}

std::vector<Curve> recursion_curves(const Report& report, double NuUpdate::*quantity) {
  std::vector<Curve> curves;
  std::size_t colour = 0;
  for (const RecordedScenario& followed : report.statistics.followed) {
    if (!followed.is_power_norm) continue;
    curves.push_back({followed.scenario.name, line(colour++, followed.scenario.pad_scale != 1),
                      make_points(followed, [quantity](const RecordedStep& step) {
                        return step.recursion ? std::optional(*step.recursion.*quantity)
                                              : std::nullopt;
                      })});
  }
  return curves;
}

}  // namespace

std::string slack_script(const Report& report) {
  Curve holds{"holds", "with points pointtype 7 pointsize 0.7 linecolor '#0072b2'", {}};
  Curve refuted{
      "refuted, as expected", "with points pointtype 9 pointsize 0.8 linecolor '#d55e00'", {}};
  Curve unexpected{
      "unexpected", "with points pointtype 2 pointsize 1.2 linewidth 2 linecolor '#000000'", {}};
  std::string tics;
  for (std::size_t i = 0; i < report.claims.size(); ++i) {
    const ReportedClaim& claim = report.claims[i];
    const double share = std::isnan(claim.worst)
                             ? kSlackCeiling
                             : std::clamp(claim.worst, kSlackFloor, kSlackCeiling);
    Curve& curve = !claim.as_expected ? unexpected : claim.holds ? holds : refuted;
    curve.points.emplace_back(static_cast<double>(i), share);
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", gnuplot_text(claim.id), i);
  }
  std::string script = picture_preamble("Worst share of its bound that any case attained");
  script += fmt::format(
      "set xtics rotate by 90 right noenhanced font ',11' ({})\n"
      "set xrange [-1:{}]\n"
      "set logscale y\n"
      "set yrange [{}:{}]\n"
      "set ytics ('0.001 or less' 0.001, '0.01' 0.01, '0.1' 0.1, 'the bound: 1' 1, '10' 10, '100' "
      "100, "
      "'1000 or more' 1000)\n"
      "set grid xtics ytics linecolor '#e4e4e4' linewidth 0.5\n"
      "set arrow from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.4 linecolor "
      "'#444444' dashtype (4,3)\n"
      "set key outside bottom center horizontal\n",
      tics, report.claims.size(), kSlackFloor / 2, kSlackCeiling * 2);
  return script + plot({holds, refuted, unexpected});
}

std::string fluctuation_script(const Report& report) {
  Curve pads{"", "with steps linecolor '#7f6000' linewidth 1.4", {}};
  for (std::size_t i = 0; i < report.statistics.batches.size(); ++i) {
    pads.points.emplace_back(static_cast<double>(i + 1),
                             100 * report.statistics.batches[i].pad_fraction);
  }
  std::string script = "set multiplot\nset lmargin at screen 0.075\nset rmargin at screen 0.985\n";
  script += "set tmargin at screen 0.93\nset bmargin at screen 0.45\n";
  script += picture_preamble("Distance of a batch's statistics from the running values, relative");
  script +=
      "set logscale y\nset format y '%g'\nset format x ''\n"
      "set key at screen 0.53, screen 0.335 center center horizontal maxrows 2 width 1\n";
  script += plot(fluctuation_curves(report));
  script += "unset logscale y\nset tmargin at screen 0.20\nset bmargin at screen 0.095\n";
  script +=
      "unset key\nset format x '%g'\nset xlabel 'step' offset 0,0.4\nset yrange [0:100]\nset ytics "
      "50\n";
  script += "set title 'Padding, per cent of the positions of each batch' noenhanced font ',14'\n";
  return script + plot({pads}) + "unset multiplot\n";
}

std::string recursion_script(const Report& report) {
  const auto threshold = [](int value) {
    return fmt::format(
        "set arrow from graph 0, first {0} to graph 1, first {0} nohead linewidth 1.2 linecolor "
        "'#444444' dashtype (3,3)\n",
        value);
  };
  std::string script = "set multiplot\nset lmargin at screen 0.085\nset rmargin at screen 0.985\n";
  script += picture_preamble(
      "theta = (1 - alpha) Gamma, the largest over the channels (bounded up to 1; "
      "diverging above 2)");
  script += "set tmargin at screen 0.94\nset bmargin at screen 0.58\nset logscale y\n";
  script += "set format y '%g'\nset format x ''\nunset key\n" + threshold(1) + threshold(2);
  script += plot(recursion_curves(report, &NuUpdate::max_theta));
  script += "unset arrow\nset tmargin at screen 0.50\nset bmargin at screen 0.215\n";
  script += "set format y '10^{%T}'\nset format x '%g'\nset xlabel 'step' offset 0,0.5\n";
  script += "set title '|nu|, the largest over the channels' noenhanced font ',16'\n";
  script +=
      "set key at screen 0.53, screen 0.005 bottom center horizontal maxrows 3 maxcols 3 "
      "width -2 font ',12'\n";
  return script + plot(recursion_curves(report, &NuUpdate::max_nu)) + "unset multiplot\n";
}

std::string nu_script(const Report& report) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < report.nu_series.size(); ++i) {
    const NuSeries& series = report.nu_series[i];
    Curve curve{fmt::format("K = {}: theta tends to {}", series.period, number_text(series.theta)),
                line(i, false),
                {}};
    for (std::size_t period = 0; period < series.nu.size(); ++period) {
      curve.points.emplace_back(static_cast<double>(period + 1),
                                std::min(series.nu[period], kMaxDrawnValue));
    }
    curves.push_back(std::move(curve));
  }
  std::string script =
      picture_preamble("|nu| of PowerNorm on a channel that is active once every K batches");
  script +=
      "set logscale y\nset format y '10^{%T}'\nset xlabel 'number of times the channel was "
      "active'\n"
      "set key top left\n";
  return script + plot(curves);
}

Drawing slack_picture(const Report& report) {
  return draw(slack_script(report), "slack",
              "For each claim, the worst share of its bound that any case attained", 1100, 430);
}

Drawing fluctuation_picture(const Report& report) {
  return draw(fluctuation_script(report), "fluctuation",
              "Distance of each batch's statistics from the running values, and its padding", 1100,
              700);
}

Drawing recursion_picture(const Report& report) {
  return draw(recursion_script(report), "recursion",
              "theta and the size of nu for every PowerNorm, step by step", 1100, 760);
}

Drawing nu_picture(const Report& report) {
  return draw(nu_script(report), "nu",
              "The size of nu on a channel that is active once every 10, 11 or 12 batches", 1100,
              430);
}

}  // namespace normproof::verification::cli::verify
