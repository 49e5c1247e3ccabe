#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/regression/movement.hpp"
#include "verification/support/report/checks.hpp"

namespace normproof::verification::cli::regress {

/// What `normproof regress compare` found. Every report is a function of it.
struct RegressReport {
  std::vector<checks::regression::Recording> recordings;  ///< the whole history
  std::size_t from = 0, to = 0;                           ///< places in it
  checks::regression::Change change;
  bool allow_towards = false;

  bool is_allowed(const checks::regression::Movement& movement) const;
  bool passed() const;
  std::string summary() const;  ///< the closing line
};

std::string_view to_string(checks::regression::Direction direction);

/// "40 of 221 elements by up to 3 ulp, most at [2, 3]; error 1.2 -> 2.5 ulp at most, ..."
std::string movement_text(const checks::regression::Movement& movement);

/// Both recordings, a line for each output whose bits moved, and the summary.
std::string regress_text(const RegressReport& report);
/// One object; infinities are strings.
std::string regress_json(const RegressReport& report);
/// A check for each case of the corpus that moved, and one for all others.
support::report::Checks regress_checks(const RegressReport& report);

}  // namespace normproof::verification::cli::regress
