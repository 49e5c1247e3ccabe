#include "verification/cli/study/study_figures.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "verification/studies/published/conclusions.hpp"
#include "verification/studies/published/initial_gradients.hpp"
#include "verification/studies/published/published.hpp"
#include "verification/support/report/curves.hpp"
#include "verification/support/report/gnuplot.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::Curve;
using support::report::draw;
using support::report::gnuplot_text;
using support::report::line;
using support::report::number_text;
using support::report::picture_preamble;
using support::report::plot;
using support::report::plural;

namespace {

constexpr double kMissingPoint = std::numeric_limits<double>::quiet_NaN();

/// Returns the index of a norm's color, which is the same in every figure.
std::size_t color_index(const std::string& norm) {
  const std::vector<std::string> norms = studies::published::study_norms();
  return static_cast<std::size_t>(std::ranges::find(norms, norm) - norms.begin());
}

/// Returns the gnuplot style for published values of a norm: open symbols in the norm's color.
std::string published_line_style(const std::string& norm) {
  const std::string like = line(color_index(norm), false);
  const std::size_t begin = like.find("linecolor"), end = like.find(" linewidth");
  return fmt::format("with points pointtype 6 pointsize 1.1 linewidth 1.8 {}",
                     like.substr(begin, end - begin));
}

std::string file_name(const studies::published::Condition& condition, const std::string& what) {
  std::string name = fmt::format("{}-{}.svg", condition_name(condition), what);
  std::ranges::replace(name, '/', '-');
  std::ranges::replace(name, '+', '-');
  return name;
}

support::report::Figure draw_figure(const studies::published::Condition& condition,
                                    const std::string& what, const std::string& script,
                                    const std::string& label, std::string caption) {
  const std::string file = file_name(condition, what);
  return {file, draw(script, file.substr(0, file.size() - 4), label, 1100, 460),
          std::move(caption)};
}

/// Shortens the name of a parameter as in the published figures: "2 fc1 W" for
/// layers.1.feed_forward.first.weight.
std::string short_name(const std::string& tensor) {
  static const std::vector<std::pair<std::string, std::string>> parts = {
      {"embedding", "embedding"},    {"attention.in", "in_proj"},    {"attention.out", "out_proj"},
      {"feed_forward.first", "fc1"}, {"feed_forward.second", "fc2"}, {"head", "head"}};
  std::string layer;
  if (tensor.starts_with("layers.")) layer = fmt::format("{} ", std::stoul(tensor.substr(7)) + 1);
  for (const auto& [known, name] : parts)
    if (tensor.find(known) != std::string::npos)
      return fmt::format("{}{} {}", layer, name, tensor.ends_with("bias") ? "b" : "W");
  return tensor;
}

/// Returns the published gradient norms of these tensors, each with the position of its tensor on
/// the axis.
std::vector<std::pair<double, double>> published_gradients(
    const std::string& norm, const std::vector<studies::published::GradientSpread>& spreads,
    std::size_t figure) {
  std::vector<std::pair<double, double>> points;
  const auto shallow = studies::published::published_shallow_gradients(norm);
  const auto deep = studies::published::published_deep_gradients(norm);
  std::size_t layer = 0;
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const auto x = static_cast<double>(i);
    const std::string& tensor = spreads[i].tensor;
    if (figure == 2 && i < shallow.size()) points.emplace_back(x, shallow[i]);
    if (figure == 3 && tensor.starts_with("embedding"))
      if (const auto embedding = studies::published::published_deep_embedding(norm))
        points.emplace_back(x, *embedding);
    if (figure == 3 && tensor.ends_with("feed_forward.second.weight") && layer < deep.size())
      points.emplace_back(x, deep[layer++]);
  }
  return points;
}

std::string step_axis(bool logarithmic) {
  return fmt::format("{}set xlabel 'step'\nset key outside right noenhanced\n",
                     logarithmic ? "set logscale y\nset format y '10^{%T}'\n" : "");
}

using Values = std::vector<std::optional<double>>;

/// Returns the training run of a norm that recorded the quantities of the norm layers at every
/// step. If there are several, returns the one with the lowest seed. If there is none, returns
/// null.
const studies::published::FinishedRun* find_dynamics(const studies::published::Results& results,
                                                     const studies::published::Condition& condition,
                                                     const std::string& norm) {
  for (const studies::published::FinishedRun* run : find_curve_runs(results, condition, norm))
    if (!run->result.dynamics.empty()) return run;
  return nullptr;
}

/// Returns the maximum or the minimum of a quantity over the steps, as text.
std::string extreme_value_text(const studies::published::NormLayerDynamics& site,
                               const std::string& name, bool largest) {
  const Values* const values = site.find(name);
  std::optional<double> found;
  if (values != nullptr)
    for (const auto& value : *values)
      if (value)
        found = largest ? std::max(found.value_or(*value), *value)
                        : std::min(found.value_or(*value), *value);
  return found ? number_text(*found) : "–";
}

/// Counts the steps at which the quantity named by the argument `one` is below the quantity named
/// by the argument `other`. Returns the count as text: "80 of 87".
std::string steps_below_text(const studies::published::NormLayerDynamics& site,
                             const std::string& one, const std::string& other) {
  const Values *const a = site.find(one), *const b = site.find(other);
  if (a == nullptr || b == nullptr) return "–";
  std::size_t below = 0, count = 0;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i)
    if ((*a)[i] && (*b)[i]) {
      ++count;
      below += *(*a)[i] < *(*b)[i] ? 1 : 0;
    }
  return count > 0 ? fmt::format("{} of {}", below, count) : "–";
}

}  // namespace

std::optional<support::report::Figure> gradient_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    std::size_t figure) {
  std::vector<Curve> curves;
  std::string tics;
  std::size_t seeds = 0, width = 0;
  for (const std::string& norm : studies::published::study_norms()) {
    std::vector<studies::published::CellResult> cells;
    for (const studies::published::FinishedRun* run :
         find_gradient_runs(results, condition, norm, figure == 2 ? 1 : 5)) {
      cells.push_back(run->result);
      width = run->cell.d_ff;
    }
    const auto spreads = studies::published::gradient_spreads(cells);
    if (spreads.empty()) continue;
    seeds = std::max(seeds, cells.size());
    Curve means{norm, line(color_index(norm), false) + " dashtype (1,3)", {}};
    Curve deviations{"", line(color_index(norm), false), {}};
    const bool first = tics.empty();
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      const auto& [tensor, mean, deviation, count] = spreads[i];
      // The norms are drawn side by side. An error bar that reaches 0 cannot be drawn on a
      // logarithmic axis.
      const double x =
          static_cast<double>(i) + 0.06 * (static_cast<double>(color_index(norm)) - 3.5);
      means.points.emplace_back(x, mean);
      deviations.points.emplace_back(x, std::max(mean - deviation, mean / 10));
      deviations.points.emplace_back(x, mean + deviation);
      deviations.points.emplace_back(x, kMissingPoint);
      if (first)
        tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_text(short_name(tensor)), i);
    }
    curves.push_back(means);
    curves.push_back(deviations);
    curves.push_back({fmt::format("{}, published", norm), published_line_style(norm),
                      published_gradients(norm, spreads, figure)});
  }
  if (curves.empty()) return std::nullopt;
  const std::string title =
      fmt::format("Gradient norm at the initial state, {}", figure == 2 ? "1 layer" : "5 layers");
  const std::string script =
      picture_preamble(title) +
      fmt::format(
          "set logscale y\nset format y '10^{{%T}}'\nset xtics rotate by 60 right noenhanced font "
          "',10' ({})\nset key outside right noenhanced\n",
          tics) +
      plot(curves);
  return draw_figure(
      condition, fmt::format("figure-{}", figure), script, title,
      fmt::format(
          "Figure {}. L2 norm of the gradient by each parameter tensor on the first "
          "batch, width {}: mean and standard deviation over {}. Open circles: read off the "
          "published figure.",
          figure, width, plural(seeds, "seed")));
}

std::optional<support::report::Figure> curve_figure(const studies::published::Results& results,
                                                    const studies::published::Condition& condition,
                                                    const studies::published::ClassCounts& classes,
                                                    std::size_t figure) {
  static const std::vector<std::string> names = {"Loss", "Lipschitz of the loss",
                                                 "Smoothness of the loss"};
  std::vector<Curve> curves;
  std::size_t steps = 0, width = 0;
  for (const std::string& norm : studies::published::study_norms()) {
    const auto runs = find_curve_runs(results, condition, norm);
    for (const studies::published::FinishedRun* run : runs) {
      Curve curve{run == runs.front() ? norm : "", line(color_index(norm), false), {}};
      for (std::size_t i = 0; i < run->result.steps.size(); ++i) {
        const studies::published::StepResult& step = run->result.steps[i];
        const std::optional<double> value = figure == 4   ? step.loss
                                            : figure == 5 ? step.lipschitz
                                                          : step.smoothness;
        curve.points.emplace_back(static_cast<double>(i + 1), value.value_or(kMissingPoint));
      }
      steps = std::max(steps, curve.points.size());
      width = run->cell.d_ff;
      curves.push_back(std::move(curve));
    }
    if (!runs.empty())
      curves.push_back({fmt::format("{}, published", norm), published_line_style(norm),
                        studies::published::published_points(figure, norm)});
  }
  if (curves.empty()) return std::nullopt;
  const double floor = loss_floor(classes, condition.protocol.count_weights);
  if (figure == 4)
    curves.push_back({"entropy of the weighted prior",
                      "with lines linecolor '#888888' dashtype (4,3)",
                      {{1, floor}, {static_cast<double>(steps), floor}}});
  const std::string& title = names.at(figure - 4);
  return draw_figure(
      condition, fmt::format("figure-{}", figure),
      picture_preamble(title) + step_axis(figure > 4) + plot(curves), title,
      fmt::format("Figure {}. {}, step by step: 1 layer of width {} at the rate 1e-4, a "
                  "line a seed. Open circles: read off the published figure.",
                  figure, title, width));
}

std::optional<support::report::Figure> dynamics_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    const std::vector<std::string>& norms, const std::vector<std::string>& quantities,
    const std::string& title) {
  std::vector<Curve> curves;
  for (const std::string& norm : norms) {
    const studies::published::FinishedRun* const run = find_dynamics(results, condition, norm);
    if (run == nullptr) continue;
    for (const studies::published::NormLayerDynamics& site : run->result.dynamics)
      for (const std::string& quantity : quantities) {
        const Values* const values = site.find(quantity);
        if (values == nullptr) continue;
        Curve curve{fmt::format("{} {}: {}", norm, site.site, quantity),
                    line(curves.size(), curves.size() >= 8),
                    {}};
        for (std::size_t i = 0; i < values->size(); ++i)
          curve.points.emplace_back(static_cast<double>(i + 1),
                                    (*values)[i].value_or(kMissingPoint));
        curves.push_back(std::move(curve));
      }
  }
  if (curves.empty()) return std::nullopt;
  return draw_figure(
      condition, quantities.front(),
      picture_preamble(title) + step_axis(true) + "set key font ',11'\n" + plot(curves), title,
      fmt::format("{}, step by step, in the run of figures 4 to 6.", title));
}

support::report::Table dynamics_table(const studies::published::Results& results,
                                      const studies::published::Condition& condition) {
  support::report::Table table{
      "The norms on the activations that they see, over the run of figures 4 to 6",
      support::report::text_columns(
          {"norm", "site", "spread of mean", "of variance", "of quadratic mean",
           "steps at which PowerNorm's Lipschitz constant would be below BatchNorm's here",
           "largest (1 - alpha) Gamma", "largest |nu|", "least psi", "largest gradient",
           "largest bound", "largest share of the bound"})};
  for (const std::string& norm : studies::published::study_norms()) {
    const studies::published::FinishedRun* const run = find_dynamics(results, condition, norm);
    if (run == nullptr) continue;
    for (const studies::published::NormLayerDynamics& site : run->result.dynamics) {
      std::vector<support::report::Cell> row = {{norm}, {site.site}};
      for (const char* statistic : {"mean", "variance", "quadratic_mean"}) {
        const auto spread = std::ranges::find_if(
            site.spreads, [&](const auto& named) { return named.first.starts_with(statistic); });
        row.push_back({spread == site.spreads.end() ? "–" : number_text(spread->second)});
      }
      row.push_back({steps_below_text(site, "lipschitz_power_norm", "lipschitz_batch_norm")});
      for (const char* quantity : {"max_weighted_gamma", "nu_largest", "psi_least", "gradient_seen",
                                   "gradient_bound", "gradient_share"})
        row.push_back(
            {extreme_value_text(site, quantity, std::string_view(quantity) != "psi_least")});
      table.rows.push_back({std::move(row)});
    }
  }
  return table;
}

}  // namespace normproof::verification::cli::study
