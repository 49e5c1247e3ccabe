#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// Returns the claims whose id matches at least one glob, in the ledger's order. `globs` is a
/// comma-separated list of shell patterns: "*", "A3", "C*, D1[0-3]".
/// Throws    UsageError if a glob matches no claim, with the known ids, or if a glob occurs twice
std::vector<Claim> select_claims(const std::vector<Claim>& claims, std::string_view globs);

struct RunSettings {
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  int jobs = 1;  ///< number of worker processes
  TestedImplementation subject = {};
  /// Returns the errors to inject into a claim's check to measure its sensitivity. If the function
  /// is empty, the sensitivity is not measured.
  std::function<std::vector<InjectedError>(const Claim&)> planted = {};
};

/// A callback. It is called in this process when a claim has ended, in the order in which the
/// claims end.
using Progress = std::function<void(const Result& result, std::size_t done, std::size_t total)>;

/// Evaluates every claim in its own process, so that a crash is a failure of only that claim.
/// `jobs` processes run at a time. The results are in the order of `claims` and do not depend on
/// `jobs`.
/// Requires  (C1) jobs >= 1
/// Throws    ContractError; std::system_error if no process or pipe can be created
std::vector<Result> run_claims(const std::vector<Claim>& claims, const RunSettings& settings,
                               const Progress& progress = {});

}  // namespace normproof::verification::claims::engine
