#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::train {

struct CompleteCommand {
  static constexpr const char* name = "complete";
  static constexpr const char* summary = "Continue a text with a language model";

  std::filesystem::path folder = {};  ///< folder of the training run
  std::size_t average = 1;            ///< number of checkpoints to average; 1: only the last one
  std::string prompt = {};
  std::size_t length = 200;  ///< number of characters to generate

  void add(CLI::App& app);

  /// Prints the prompt and its continuation by the trained language model.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
