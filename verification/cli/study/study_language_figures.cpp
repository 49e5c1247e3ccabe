#include "verification/cli/study/study_language_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/support/report/curves.hpp"
#include "verification/support/report/gnuplot.hpp"

namespace normproof::verification::cli::study {

using studies::language::CellResult;
using studies::language::Series;

namespace {

/// Returns a series of means. Its entry i is the mean of entry i over the given series that have an
/// entry i.
Series make_mean_series(const std::vector<Series>& all) {
  std::size_t length = 0;
  for (const Series& series : all) length = std::max(length, series.size());
  Series means(length);
  for (std::size_t i = 0; i < length; ++i) {
    double sum = 0;
    std::size_t count = 0;
    for (const Series& series : all)
      if (i < series.size() && series[i]) {
        sum += *series[i];
        ++count;
      }
    if (count > 0) means[i] = sum / static_cast<double>(count);
  }
  return means;
}

/// Returns one curve per norm, the mean over the training runs of the norm. The function
/// `find_cells` returns the training runs of a norm. The function `place` returns the x coordinate
/// of point i of a curve.
template <class FindCells, class MakeSeries, class Place>
std::vector<support::report::Curve> make_norm_curves(const studies::language::Condition& condition,
                                                     const FindCells& find_cells,
                                                     const MakeSeries& make_series,
                                                     const Place& place) {
  std::vector<support::report::Curve> curves;
  const std::vector<std::string>& norms = studies::language::study_norms(condition.task);
  for (std::size_t colour = 0; colour < norms.size(); ++colour) {
    std::vector<Series> all;
    for (const studies::language::FinishedRun* cell : find_cells(norms[colour]))
      if (!cell->result.diverged)
        for (Series& series : make_series(cell->result)) all.push_back(std::move(series));
    support::report::Curve curve{norms[colour], support::report::line(colour, false), {}};
    const Series means = make_mean_series(all);
    for (std::size_t i = 0; i < means.size(); ++i)
      if (means[i]) curve.points.emplace_back(place(i), *means[i]);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::optional<support::report::Figure> language_figure(
    const studies::language::Condition& condition, const std::string& what, const std::string& axes,
    const std::vector<support::report::Curve>& curves, const std::string& title) {
  if (curves.empty()) return std::nullopt;
  std::string name = fmt::format("{}-{}", condition_name(condition), what);
  std::erase(name, ',');
  std::ranges::replace(name, ' ', '-');
  return support::report::Figure{
      name + ".svg",
      support::report::draw(support::report::picture_preamble(title) + axes +
                                "set key outside right noenhanced\n" +
                                support::report::plot(curves),
                            name, title, 1100, 460),
      fmt::format("{}: {}.", condition_name(condition), title)};
}

/// Draws a quantity that has one number per epoch. The curve of a norm is the mean over its tests
/// at the chosen learning rate.
template <class MakeSeries>
std::optional<support::report::Figure> epochs_figure(const studies::language::Results& results,
                                                     const studies::language::Condition& condition,
                                                     const char* what,
                                                     const MakeSeries& make_series,
                                                     const std::string& title) {
  return language_figure(
      condition, what, "set xlabel 'epoch'\n",
      make_norm_curves(
          condition,
          [&](const std::string& norm) {
            return find_tests_at_chosen_rate(results, condition, norm);
          },
          [&](const CellResult& result) { return std::vector<Series>{make_series(result)}; },
          [](std::size_t i) { return static_cast<double>(i + 1); }),
      title);
}

/// Draws the fluctuations of statistics in the norm layers whose names begin with the text `begin`.
/// The function `has` returns whether a statistic is drawn.
template <class FindCells, class Has>
std::optional<support::report::Figure> norm_layers_figure(
    const studies::language::Condition& condition, const FindCells& find_cells,
    const std::string& begin, const Has& has, const std::string& what, const std::string& title) {
  const auto read_sites = [&](const CellResult& result) {
    std::vector<Series> all;
    for (const auto& fluctuation : result.fluctuation)
      if (has(fluctuation.statistic) && fluctuation.site.starts_with(begin))
        all.push_back(fluctuation.pieces);
    return all;
  };
  return language_figure(condition, what, "set xlabel 'share of the run'\nset logscale y\n",
                         make_norm_curves(condition, find_cells, read_sites,
                                          [](std::size_t i) {
                                            return (static_cast<double>(i) + 0.5) /
                                                   static_cast<double>(studies::language::kPieces);
                                          }),
                         title);
}

/// Draws the fluctuations of statistics in all norm layers in one figure. For translators, draws
/// one figure for the encoder and one for the decoder.
template <class FindCells, class Has>
std::vector<support::report::Figure> figures_per_side(const studies::language::Condition& condition,
                                                      const FindCells& find_cells, const Has& has,
                                                      const std::string& what,
                                                      const std::string& title) {
  std::vector<support::report::Figure> figures;
  const auto add = [&](std::optional<support::report::Figure> figure) {
    if (figure) figures.push_back(std::move(*figure));
  };
  if (condition.task == training::Task::language) {
    add(norm_layers_figure(condition, find_cells, "", has, what, title));
  } else {
    for (const char* side : {"encoder", "decoder"})
      add(norm_layers_figure(condition, find_cells, fmt::format("{}.", side), has,
                             fmt::format("{}-{}", side, what), fmt::format("{}, {}", title, side)));
  }
  return figures;
}

}  // namespace

std::optional<support::report::Figure> learning_figure(
    const studies::language::Results& results, const studies::language::Condition& condition) {
  return epochs_figure(
      results, condition, "learning",
      [](const CellResult& result) { return result.validation_loss; },
      "Validation loss after each epoch, the mean over the seeds");
}

std::optional<support::report::Figure> bleu_figure(const studies::language::Results& results,
                                                   const studies::language::Condition& condition) {
  return epochs_figure(
      results, condition, "bleu", [](const CellResult& result) { return result.validation_bleu; },
      "Validation BLEU after each epoch, the mean over the seeds");
}

std::vector<support::report::Figure> fluctuation_figures(
    const studies::language::Results& results, const studies::language::Condition& condition) {
  return figures_per_side(
      condition,
      [&](const std::string& norm) { return find_tests_at_chosen_rate(results, condition, norm); },
      [](const std::string& statistic) { return statistic != "mean"; }, "fluctuation",
      "Fluctuation of the batch variance or quadratic mean about the running one");
}

std::vector<support::report::Figure> norm_input_figures(
    const studies::language::Results& results, const studies::language::Condition& condition) {
  const auto traced = [&](const std::string& norm) {
    const studies::language::FinishedRun* const cell = find_dynamics(results, condition, norm);
    return cell == nullptr ? std::vector<const studies::language::FinishedRun*>()
                           : std::vector{cell};
  };
  std::vector<support::report::Figure> figures;
  const auto add = [&](const std::string& statistic, const char* title) {
    for (support::report::Figure& figure : figures_per_side(
             condition, traced, [&](const std::string& name) { return name == statistic; },
             fmt::format("taken-{}", statistic),
             fmt::format("Fluctuation of the {} of what a norm layer takes about its running mean",
                         title)))
      figures.push_back(std::move(figure));
  };
  add("variance", "variance");
  add("quadratic_mean", "quadratic mean");
  return figures;
}

}  // namespace normproof::verification::cli::study
