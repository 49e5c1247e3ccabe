#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/regression/movement.hpp"
#include "verification/support/report/checks.hpp"

namespace normproof::verification::cli::regress {

/// The results of `normproof regress compare`, from which all its reports are generated.
struct RegressReport {
  std::vector<checks::regression::Recording> recordings;  ///< all recordings of the history
  std::size_t from = 0, to = 0;  ///< indices of the two compared recordings
  checks::regression::Change change;
  bool allow_towards = false;

  bool is_allowed(const checks::regression::OutputChange& movement) const;
  bool passed() const;
  std::string summary() const;  ///< the closing line
};

std::string_view to_string(checks::regression::Direction direction);

/// Describes in one line how an output changed: "40 of 221 elements by up to 3 ulp, most at [2, 3];
/// error 1.2 -> 2.5 ulp at most, ...".
std::string output_change_text(const checks::regression::OutputChange& movement);

/// Returns the result as text: the two recordings, one line for each output whose bits changed, and
/// the summary.
std::string regress_text(const RegressReport& report);
/// Returns the result as one JSON object. Infinities are written as strings.
std::string regress_json(const RegressReport& report);
/// Returns one check for each case that changed, and a single check for all other cases.
support::report::Checks regress_checks(const RegressReport& report);

}  // namespace normproof::verification::cli::regress
