#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::train {

struct CompleteCommand {
  static constexpr const char* name = "complete";
  static constexpr const char* summary = "What a language model has follow a text";

  std::filesystem::path folder = {};  ///< of the run
  std::size_t average = 1;            ///< checkpoints
  std::string prompt = {};
  std::size_t length = 200;  ///< characters

  void add(CLI::App& app);

  /// Prints the prompt, and behind it what training::complete makes of it.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
