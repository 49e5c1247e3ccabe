#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::published {

/// A convergence table: seven learning rates by norms.
struct TableShape {
  std::size_t number = 1, layers = 1, d_ff = 32;
};

/// The six: 1 layer narrow, normal and wide, then 5 layers.
const std::vector<TableShape>& table_shapes();

/// 10, 1, 0.5, 0.1, 1e-2, 1e-3, 1e-4.
const std::vector<std::string>& study_rates();

/// What of the study is asked for.
struct Selection {
  std::vector<Protocol> protocols = {Protocol{}};
  std::optional<Padding> padding = {};  ///< absent: each protocol's own
  std::vector<std::size_t> tables = {1, 2, 3, 4, 5, 6};
  std::vector<std::size_t> figures = {2, 3, 4, 5, 6};
  bool initialization = true;  ///< U(-0.1, 0.1) and U(-100, 100)
  std::vector<std::string> norms = {"layer_norm", "batch_norm", "none", "power_norm"};
  std::vector<std::string> rates = study_rates();
  std::size_t seeds = 1;             ///< of tables and curves: 42, 43, ...
  std::size_t gradient_seeds = 100;  ///< of figures 2 and 3: 1, 2, ...
  std::size_t steps = 87;            ///< of the tables
  std::size_t curve_steps = 87;      ///< of figures 4 to 6
  std::size_t figure_width = 3200;   ///< of all figures
};

/// Of --quick: one table at three rates, figures of 20 steps and width 32, two seeds of gradients.
Selection quick_selection();

/// Every cell that is asked for, once, in the order of protocols, tables and figures.
std::vector<Cell> plan(const Selection& selection);

/// The cell of a table, of figures 4 to 6 and of figures 2 and 3, of seed 42 (1), where `of` has
/// protocol, padding and norm.
Cell table_cell(Cell of, const TableShape& shape, std::string rate);
Cell curves_cell(Cell of, std::size_t steps, std::size_t width);
Cell gradients_cell(Cell of, std::size_t layers, std::size_t width);
/// One layer of width 320 at the rate 0.1, the highest at which each of the three norms converged
/// in the published table of that shape.
Cell initialization_cell(Cell of, std::string initialization);

/// Where the report shows a cell: "table 3", "initialization", "figure 2", "figures 4 to 6"; empty
/// where none of them asks for it, whatever its seed.
std::string place_of(const Cell& cell);

/// What a cell takes, in multiplications: to do the longest first, and to tell the time left.
double cost(const Cell& cell);

/// "1,3-5" as numbers, ascending.
/// Throws    UsageError naming `option` where it is anything else, or a number is outside
std::vector<std::size_t> parse_numbers(std::string_view option, std::string_view text,
                                       std::size_t least, std::size_t most);

/// The parts between the commas.
std::vector<std::string> split_list(std::string_view text);

}  // namespace normproof::verification::studies::published
