#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normproof::verification::checks::elementary {

/// Return the tables of ref/numeric/elementary_tables.hpp, row after row. They are computed by MPFR
/// at 100 digits from the definitions in that header.
std::vector<double> exp_table();
std::vector<double> log_table();
std::vector<double> tanh_table();
std::vector<double> erf_table();

/// The range of arguments that use one row of the log table: the first and the last `double`.
struct LogBin {
  double first, last;
};
LogBin log_bin(int row);
/// Returns the point around which the Taylor series in row `row` of the tables of tanh and erf is
/// expanded.
double taylor_center(int row);

/// Return log(2) and 2/sqrt(pi), rounded down to kConstantLimbs limbs. The last limb is the integer
/// part.
std::vector<std::uint64_t> ln2_limbs();
std::vector<std::uint64_t> two_over_root_pi_limbs();

/// Returns the text of an .inc file, with one row per line.
std::string format_table(const std::vector<double>& table, int columns);
std::string format_limbs(const std::vector<std::uint64_t>& limbs);

}  // namespace normproof::verification::checks::elementary
