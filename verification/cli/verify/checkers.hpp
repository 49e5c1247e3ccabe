#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// A program of the source tree that checks the claims by its own methods.
struct Checker {
  std::string name;            ///< "proofs", for --proofs
  std::string what;            ///< the things it checks: "theorems"
  std::filesystem::path file;  ///< path in the source tree
};

Checker proofs_checker();  ///< --proofs: verification/claims/proofs/check
Checker smt_checker();     ///< --smt: verification/claims/proofs/smt/check

/// Finds `file` in a checkout of the sources, below a parent folder of one of `places`.
/// Throws    FileError if no such folder has it
std::filesystem::path find_in_checkout(const std::filesystem::path& file,
                                       const std::vector<std::filesystem::path>& places);
/// Finds `file` below a parent folder of the running program or of the current folder.
std::filesystem::path find_in_checkout(const std::filesystem::path& file);

/// Interprets the output of a checker.
///
/// Computes  the items and the outcome: a line "<word>  <claim>  <text>" of `out` is an item, which
///           failed if the word is FAILED; a claim is a letter and a number. Status 0 passes if
///           there is at least one item and none failed, 77 is skipped, everything else fails. The
///           summary is the text after "PASSED: ", or after "skipped: " in `err`, or the first
///           failure
CheckerReport parse_outcome(const Checker& checker, int status, std::string_view out,
                            std::string_view err);

/// Runs the checker to its end with `jobs` parallel parts, for the claims `among` or for all if it
/// is empty. It puts its files into the folder of its name below build/<preset> of the checkout if
/// the running program is there too; otherwise it chooses the place.
/// Throws    std::system_error if it cannot be started
CheckerReport run_checker(const Checker& checker, const std::filesystem::path& program, int jobs,
                          const std::vector<std::string>& among = {});

}  // namespace normproof::verification::cli::verify
