#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::published {

/// A table of the paper: it shows for which learning rates (rows) and norms (columns) a model of
/// one size converges.
struct TableShape {
  std::size_t number = 1, layers = 1, d_ff = 32;
};

/// Returns the six tables: models of one layer with three widths, then models of five layers with
/// the same widths.
const std::vector<TableShape>& table_shapes();

/// Returns the learning rates of the tables: 10, 1, 0.5, 0.1, 1e-2, 1e-3, 1e-4.
const std::vector<std::string>& study_rates();

/// The part of the study that the user requests.
struct Selection {
  std::vector<Protocol> protocols = {Protocol{}};
  std::optional<Padding> padding = {};  ///< absent: each protocol has its default padding
  std::vector<std::size_t> tables = {1, 2, 3, 4, 5, 6};
  std::vector<std::size_t> figures = {2, 3, 4, 5, 6};
  /// Whether to include the initializations U(-0.1, 0.1) and U(-100, 100).
  bool initialization = true;
  std::vector<std::string> norms = {"layer_norm", "batch_norm", "none", "power_norm"};
  std::vector<std::string> rates = study_rates();
  std::size_t seeds = 1;             ///< number of seeds for tables and curves: 42, 43, ...
  std::size_t gradient_seeds = 100;  ///< number of seeds for figures 2 and 3: 1, 2, ...
  std::size_t steps = 87;            ///< number of training steps for the tables
  std::size_t curve_steps = 87;      ///< number of training steps for figures 4 to 6
  std::size_t figure_width = 3200;   ///< width of the feed-forward for all figures
};

/// Returns the selection of the option --quick: one table at three learning rates, figures with 20
/// steps and width 32, and two seeds for gradients.
Selection quick_selection();

/// Returns every selected training run once, ordered by protocol. Within a protocol, the training
/// runs for the tables come before the training runs for the figures.
std::vector<Cell> plan(const Selection& selection);

/// These functions return a training run. table_cell is for an entry of a table, curves_cell for
/// figures 4 to 6, and gradients_cell for figures 2 and 3. The argument `of` is a training run with
/// the same protocol, padding and norm. The seed is 42, or 1 for figures 2 and 3.
Cell table_cell(Cell of, const TableShape& shape, std::string rate);
Cell curves_cell(Cell of, std::size_t steps, std::size_t width);
Cell gradients_cell(Cell of, std::size_t layers, std::size_t width);
/// Returns the training run for an initialization. Its model has one layer of width 320. Its
/// learning rate is 0.1: in the published table for this model, it is the highest rate at which the
/// three norms all converged.
Cell initialization_cell(Cell of, std::string initialization);

/// Returns the place of a training run in the report: "table 3", "initialization", "figure 2" or
/// "figures 4 to 6". The place does not depend on the seed. It is empty if the report does not show
/// the run.
std::string report_place(const Cell& cell);

/// Returns an estimate of the cost of a training run, as a number of multiplications. It determines
/// the order of the tasks and the estimate of the remaining time.
double cost(const Cell& cell);

/// Parses a list such as "1,3-5" into ascending numbers from `least` to `most`.
/// Throws    UsageError naming `option` if the text is not such a list, or a number is out of range
std::vector<std::size_t> parse_numbers(std::string_view option, std::string_view text,
                                       std::size_t least, std::size_t most);

/// Splits a text at its commas.
std::vector<std::string> split_list(std::string_view text);

}  // namespace normproof::verification::studies::published
