#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::train {

struct CompleteCommand {
  static constexpr const char* name = "complete";
  static constexpr const char* summary = "Continue a text with a language model";

  std::filesystem::path folder = {};  ///< folder of the run
  std::size_t average = 1;            ///< number of last checkpoints whose mean is the model
  std::string prompt = {};
  std::size_t length = 200;  ///< number of characters

  void add(CLI::App& app);

  /// Prints the prompt and its continuation by training::complete.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
