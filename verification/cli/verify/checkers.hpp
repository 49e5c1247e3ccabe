#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// A program of the sources that checks the claims by means of its own.
struct Checker {
  std::string name;            ///< "proofs", of --proofs
  std::string what;            ///< "theorems": what it checks
  std::filesystem::path file;  ///< below the top of the sources
};

Checker proofs_checker();  ///< --proofs: verification/claims/proofs/check
Checker smt_checker();     ///< --smt: verification/claims/proofs/smt/check

/// Where `file` stands in a checkout of the sources: below a folder above one of `places`.
/// Throws    FileError where it stands below none
std::filesystem::path find_in_checkout(const std::filesystem::path& file,
                                       const std::vector<std::filesystem::path>& places);
/// The same above the running program or the current folder.
std::filesystem::path find_in_checkout(const std::filesystem::path& file);

/// The outcome of a checker that exited with `status` and said `out` and `err`.
///
/// Computes  a line "<word>  <claim>  <text>" of `out` is an item, good unless the word is FAILED;
///           a claim is a letter and a number. Status 0 passes where at least one item is there and
///           none is bad, 77 is skipped, everything else fails; the summary is what stands behind
///           "PASSED: ", or behind "skipped: " in `err`, or what failed first
CheckerReport outcome_of(const Checker& checker, int status, std::string_view out,
                         std::string_view err);

/// Runs the checker to its end, `jobs` of its parts at a time; of its claims those `among` these,
/// or all where there are none. What it makes stands in the folder
/// of its name below build/<preset> of the checkout, where the running program is there too; else
/// where it puts it by itself.
/// Throws    std::system_error where it cannot be started
CheckerReport run_checker(const Checker& checker, const std::filesystem::path& program, int jobs,
                          const std::vector<std::string>& among = {});

}  // namespace normproof::verification::cli::verify
