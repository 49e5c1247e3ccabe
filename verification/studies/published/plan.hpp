#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::published {

/// The shape of a convergence table, which has seven learning rates in its rows and norms in its
/// columns.
struct TableShape {
  std::size_t number = 1, layers = 1, d_ff = 32;
};

/// Returns the six tables: one layer with three widths, then five layers with the same widths.
const std::vector<TableShape>& table_shapes();

/// Returns the learning rates 10, 1, 0.5, 0.1, 1e-2, 1e-3, 1e-4.
const std::vector<std::string>& study_rates();

/// The requested part of the study.
struct Selection {
  std::vector<Protocol> protocols = {Protocol{}};
  std::optional<Padding> padding = {};  ///< absent: each protocol has its own
  std::vector<std::size_t> tables = {1, 2, 3, 4, 5, 6};
  std::vector<std::size_t> figures = {2, 3, 4, 5, 6};
  bool initialization = true;  ///< whether to include U(-0.1, 0.1) and U(-100, 100)
  std::vector<std::string> norms = {"layer_norm", "batch_norm", "none", "power_norm"};
  std::vector<std::string> rates = study_rates();
  std::size_t seeds = 1;             ///< number of seeds for tables and curves: 42, 43, ...
  std::size_t gradient_seeds = 100;  ///< number of seeds for figures 2 and 3: 1, 2, ...
  std::size_t steps = 87;            ///< steps of the tables
  std::size_t curve_steps = 87;      ///< steps of figures 4 to 6
  std::size_t figure_width = 3200;   ///< width of all figures
};

/// Returns the selection of --quick: one table at three rates, figures of 20 steps and width 32,
/// two seeds of gradients.
Selection quick_selection();

/// Returns every selected cell once, in the order of protocols, tables and figures.
std::vector<Cell> plan(const Selection& selection);

/// Return the cell of a table, of figures 4 to 6 and of figures 2 and 3, with seed 42 (figures 2
/// and 3: 1) and the protocol, padding and norm of `of`.
Cell table_cell(Cell of, const TableShape& shape, std::string rate);
Cell curves_cell(Cell of, std::size_t steps, std::size_t width);
Cell gradients_cell(Cell of, std::size_t layers, std::size_t width);
/// Returns the cell of an initialization: one layer of width 320 at the rate 0.1, the highest at
/// which each of the three norms converged in the published table of that shape.
Cell initialization_cell(Cell of, std::string initialization);

/// Returns where the report shows a cell, whatever its seed: "table 3", "initialization", "figure
/// 2", "figures 4 to 6"; empty if nowhere.
std::string report_place(const Cell& cell);

/// Estimates the cost of a cell, in multiplications. It decides the order of the tasks and the
/// estimate of the remaining time.
double cost(const Cell& cell);

/// Parses a list such as "1,3-5" into ascending numbers.
/// Throws    UsageError naming `option` if the text is not such a list, or a number is out of range
std::vector<std::size_t> parse_numbers(std::string_view option, std::string_view text,
                                       std::size_t least, std::size_t most);

/// Splits the text at its commas.
std::vector<std::string> split_list(std::string_view text);

}  // namespace normproof::verification::studies::published
