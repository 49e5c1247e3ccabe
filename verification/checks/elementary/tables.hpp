#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normproof::verification::checks::elementary {

/// The tables of ref/numeric/elementary_tables.hpp, row after row, computed from their definitions
/// there by MPFR at 100 digits.
std::vector<double> exp_table();
std::vector<double> log_table();
std::vector<double> tanh_table();
std::vector<double> erf_table();

/// The first and the last `double` for which row i of the log table is used.
struct LogBin {
  double first, last;
};
LogBin log_bin(int row);
/// Returns the center of row i of the tables of tanh and erf.
double taylor_center(int row);

/// log(2) and 2/sqrt(pi), rounded down to kConstantLimbs limbs; the integer part is last.
std::vector<std::uint64_t> ln2_limbs();
std::vector<std::uint64_t> two_over_root_pi_limbs();

/// Returns the text of an .inc file, with one row per line.
std::string format_table(const std::vector<double>& table, int columns);
std::string format_limbs(const std::vector<std::uint64_t>& limbs);

}  // namespace normproof::verification::checks::elementary
