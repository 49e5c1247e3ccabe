#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// The claims whose id matches one of the globs, in the ledger's order. `globs` is a
/// comma-separated list of shell patterns on ids: "*", "A3", "C*, D1[0-3]".
/// Throws    UsageError where one matches none, with the known ids, and where one is there twice
std::vector<Claim> select_claims(const std::vector<Claim>& claims, std::string_view globs);

struct RunSettings {
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  int jobs = 1;  ///< worker processes at a time
  Subject subject = {};
  /// What is planted in the subject to measure the power of a claim; nothing: it is not measured.
  std::function<std::vector<Planted>(const Claim&)> planted = {};
};

/// Called in this process whenever a claim has ended, in the order in which they end.
using Progress = std::function<void(const Result& result, std::size_t done, std::size_t total)>;

/// Evaluates every claim in a process of its own, `jobs` of them at a time: a crash of one is a
/// failure of that claim and of nothing else. Results are in the order of `claims` and the same for
/// any number of jobs.
/// Requires  (C1) jobs >= 1
/// Throws    ContractError; std::system_error where no process or pipe can be made
std::vector<Result> run_claims(const std::vector<Claim>& claims, const RunSettings& settings,
                               const Progress& progress = {});

}  // namespace normproof::verification::claims::engine
