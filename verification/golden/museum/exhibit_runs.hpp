#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"
#include "verification/golden/museum/exhibit.hpp"

namespace normproof::verification::golden::museum {

using corpus::Tier;

/// The largest number of failing cases of an exhibit that are diagnosed.
inline constexpr std::size_t kDiagnosedCases = 8;

/// The result of running one exhibit on the corpus.
struct ExhibitResult {
  Exhibit exhibit;
  std::size_t cases = 0;       ///< number of cases that were run
  std::string case_path = {};  ///< the case in which the bug is found; empty if there is none
  std::string relation = {};   ///< the broken relation; empty if a bound is exceeded
  std::string named = {};  ///< the gate's diagnosis of the bug in the case `case_path`, or empty
  /// The number of cases that failed, up to kDiagnosedCases, and the names in these cases none of
  /// which describes the bug (right_names.hpp), each with its case.
  std::size_t diagnosed = 0;
  std::vector<std::string> wrong_names = {};
  double closest = 0;  ///< the largest ratio of error to bound if the bug is not found

  bool found() const { return !case_path.empty(); }
};

struct ExhibitOptions {
  Tier tier = Tier::quick;  ///< the highest tier to run; lower tiers run first
  std::string only = "*";   ///< glob for the names of operations
  int jobs = 1;
  std::function<void(const std::string& op, std::size_t done, std::size_t of)> finished = {};
};

/// Runs each exhibit on the cases of its operation and dtype, tier by tier, until its bug is found
/// and kDiagnosedCases cases of the tier are diagnosed.
/// If an exhibit stays within every bound of a tier, the relations of the gate are checked on the
/// cases of that tier.
///
/// Requires  `only` matches the operation of an exhibit
/// Throws    UsageError with the nearest known name
std::vector<ExhibitResult> run_exhibits(const std::vector<Exhibit>& exhibits,
                                        const ExhibitOptions& options);

}  // namespace normproof::verification::golden::museum
