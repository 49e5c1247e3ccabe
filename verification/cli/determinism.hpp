#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace normproof::verification::cli {

struct DeterminismCommand {
  std::optional<std::filesystem::path> json = {}, junit = {}, against = {};
  int threads = 1;
  std::string instruction_set = {};  ///< empty: the widest that this processor has
};

/// Runs every probe of the contract, writes the files that are asked for, and then on standard
/// output: without --against the environment, a hash a probe and the verdict on what the contract
/// promises; with it one line, the verdict on that file.
/// Returns   true where the bits are the same
/// Throws    UsageError, FileError
bool determinism(const DeterminismCommand& command);

}  // namespace normproof::verification::cli
