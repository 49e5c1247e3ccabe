#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// A program in the source tree that checks the claims by a method of its own, such as a proof
/// assistant.
struct Checker {
  std::string name;            ///< name, which is also the option: "proofs" for --proofs
  std::string what;            ///< what it checks: "theorems"
  std::filesystem::path file;  ///< path of the program in the source tree
};

Checker proofs_checker();  ///< checker of the option --proofs: verification/claims/proofs/check
Checker smt_checker();     ///< checker of the option --smt: verification/claims/proofs/smt/check

/// Finds `file` in a checkout of the sources. It searches the folders of `places` and all their
/// parent folders, and returns the path in the first folder that contains the file.
/// Throws    FileError if no folder contains it
std::filesystem::path find_in_checkout(const std::filesystem::path& file,
                                       const std::vector<std::filesystem::path>& places);
/// Finds `file` in a checkout of the sources that contains the running program or the current
/// folder.
std::filesystem::path find_in_checkout(const std::filesystem::path& file);

/// Interprets the output of a checker.
///
/// Computes  the checked items and the outcome. A line "<word>  <claim>  <text>" of `out` is an
///           item, where the claim is a letter and a number. The item failed if the word is FAILED.
///           The outcome is `passed` if `status` is 0, there is an item, and no item failed. It is
///           `skipped` if `status` is 77, and otherwise `failed`. The summary is the text after
///           "PASSED: " in `out`, or the text after "skipped: " in `err`, or the first failure
CheckerReport parse_outcome(const Checker& checker, int status, std::string_view out,
                            std::string_view err);

/// Runs a checker to its end, with `jobs` parallel jobs. The argument `among` lists the claims to
/// check. If this list is empty, the checker checks all claims. If the running program is in
/// build/<preset> of the checkout, the checker writes its files into build/<preset>/<name of the
/// checker>. Otherwise the checker chooses the folder.
/// Throws    std::system_error if it cannot be started
CheckerReport run_checker(const Checker& checker, const std::filesystem::path& program, int jobs,
                          const std::vector<std::string>& among = {});

}  // namespace normproof::verification::cli::verify
