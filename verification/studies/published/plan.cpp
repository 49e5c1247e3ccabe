#include "verification/studies/published/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

using ref::numeric::UsageError;

namespace {

constexpr std::size_t kWide = 3200;
constexpr std::uint64_t kFirstSeed = 42;
constexpr const char* kInitializations[] = {"uniform-0.1", "uniform-100"};

/// A list of distinct training runs, in the order in which they were added.
class CellList {
 public:
  void add(Cell cell, std::uint64_t first_seed, std::size_t seeds) {
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      cell.seed = seed;
      if (names_.insert(cell_name(cell)).second) cells_.push_back(cell);
    }
  }
  std::vector<Cell> take() { return std::move(cells_); }

 private:
  std::vector<Cell> cells_;
  std::set<std::string> names_;
};

bool has_figure(const Selection& selection, std::size_t least, std::size_t most) {
  return std::ranges::any_of(selection.figures,
                             [&](std::size_t f) { return f >= least && f <= most; });
}

/// Adds the training runs that the study shows outside its tables. They have the norm and the
/// protocol of the argument `of`, which is a training run.
void add_figures(CellList& cells, const Selection& selection, const Cell& of) {
  if (selection.initialization)
    for (const char* limit : kInitializations)
      cells.add(initialization_cell(of, limit), kFirstSeed, selection.seeds);
  if (has_figure(selection, 4, 6))
    cells.add(curves_cell(of, selection.curve_steps, selection.figure_width), kFirstSeed,
              selection.seeds);
  for (const std::size_t figure : {2, 3})
    if (has_figure(selection, figure, figure))
      cells.add(gradients_cell(of, figure == 2 ? 1 : 5, selection.figure_width), 1,
                selection.gradient_seeds);
}

}  // namespace

const std::vector<TableShape>& table_shapes() {
  static const std::vector<TableShape> shapes = {{1, 1, 32}, {2, 1, 320}, {3, 1, kWide},
                                                 {4, 5, 32}, {5, 5, 320}, {6, 5, kWide}};
  return shapes;
}

const std::vector<std::string>& study_rates() {
  static const std::vector<std::string> rates = {"10", "1", "0.5", "0.1", "1e-2", "1e-3", "1e-4"};
  return rates;
}

Selection quick_selection() {
  Selection selection;
  selection.tables = {1};
  selection.initialization = false;
  selection.rates = {"10", "0.5", "1e-2"};
  selection.gradient_seeds = 2;
  selection.curve_steps = 20;
  selection.figure_width = 32;
  return selection;
}

std::vector<Cell> plan(const Selection& selection) {
  CellList cells;
  for (const Protocol& protocol : selection.protocols) {
    Cell of;
    of.protocol = protocol;
    of.padding = selection.padding.value_or(default_padding(protocol));
    of.steps = selection.steps;
    for (const std::size_t number : selection.tables)
      for (const std::string& rate : selection.rates)
        for (const std::string& norm : selection.norms) {
          of.norm = norm;
          cells.add(table_cell(of, table_shapes().at(number - 1), rate), kFirstSeed,
                    selection.seeds);
        }
    for (const std::string& norm : selection.norms) {
      of.norm = norm;
      add_figures(cells, selection, of);
    }
  }
  return cells.take();
}

Cell table_cell(Cell of, const TableShape& shape, std::string rate) {
  of.layers = shape.layers;
  of.d_ff = shape.d_ff;
  of.learning_rate = std::move(rate);
  return of;
}

Cell curves_cell(Cell of, std::size_t steps, std::size_t width) {
  of = table_cell(std::move(of), {0, 1, width}, "1e-4");
  of.steps = steps;
  of.curves = of.dynamics = true;
  return of;
}

Cell gradients_cell(Cell of, std::size_t layers, std::size_t width) {
  of = table_cell(std::move(of), {0, layers, width}, "0.1");
  of.steps = 0;
  of.seed = 1;
  return of;
}

Cell initialization_cell(Cell of, std::string initialization) {
  of = table_cell(std::move(of), table_shapes().at(1), "0.1");
  of.initialization = std::move(initialization);
  return of;
}

std::string report_place(const Cell& cell) {
  Cell of;
  of.protocol = cell.protocol;
  of.padding = cell.padding;
  of.norm = cell.norm;
  const auto is = [&](Cell other) {
    other.seed = cell.seed;
    return other == cell;
  };
  for (const TableShape& shape : table_shapes())
    for (const std::string& rate : study_rates())
      if (is(table_cell(of, shape, rate))) return fmt::format("table {}", shape.number);
  for (const char* limit : kInitializations)
    if (is(initialization_cell(of, limit))) return "initialization";
  for (const std::size_t figure : {2, 3})
    if (is(gradients_cell(of, figure == 2 ? 1 : 5, cell.d_ff)))
      return fmt::format("figure {}", figure);
  return is(curves_cell(of, cell.steps, cell.d_ff)) ? "figures 4 to 6" : "";
}

double cost(const Cell& cell) {
  constexpr double kBatch = 64, kModel = 32, kVocabulary = 30522;
  // The mean length of the longest sentence in batches of 64 sentences.
  constexpr double kMeanLongestSentence = 75;
  // Hashing one byte of the state takes about as long as this number of multiplications.
  constexpr double kHashCostPerByte = 30;
  const double length = cell.padding == Padding::fixed_512 ? 512 : kMeanLongestSentence;
  const double width = static_cast<double>(cell.d_ff), layers = static_cast<double>(cell.layers);
  const double a_token = 4 * kModel * kModel + 2 * length * kModel + 2 * kModel * width;
  // One forward pass, and a backward pass that costs twice as much.
  const double a_gradient = 3 * kBatch * length * layers * a_token;
  // With curves, a step computes ten more gradients.
  const double gradients = cell.curves ? 11 : 1;
  const double weights = kModel * (kVocabulary + 2 * layers * width);
  return static_cast<double>(std::max<std::size_t>(cell.steps, 1)) *
         (gradients * a_gradient + 8 * kHashCostPerByte * weights);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<std::size_t> parse_numbers(std::string_view option, std::string_view text,
                                       std::size_t least, std::size_t most) {
  const auto fail = [&] {
    throw UsageError(fmt::format("{} is '{}'; expected numbers from {} to {}, such as {},{}-{}",
                                 option, text, least, most, least, least + 1, most));
  };
  const auto number = [&](std::string_view digits) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc{} || end != digits.end() || value < least || value > most) fail();
    return value;
  };
  std::set<std::size_t> numbers;
  for (const std::string& part : split_list(text)) {
    const std::size_t dash = part.find('-');
    const std::size_t first = number(std::string_view(part).substr(0, dash));
    const std::size_t last =
        dash == std::string::npos ? first : number(std::string_view(part).substr(dash + 1));
    if (last < first) fail();
    for (std::size_t n = first; n <= last; ++n) numbers.insert(n);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace normproof::verification::studies::published
