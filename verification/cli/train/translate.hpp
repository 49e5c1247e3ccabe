#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/train/search_options.hpp"

namespace normproof::verification::cli::train {

struct TranslateCommand {
  static constexpr const char* name = "translate";
  static constexpr const char* summary = "What a translator makes of sentences, a line each";

  std::filesystem::path folder = {};  ///< of the run
  std::filesystem::path in = {};      ///< "-": standard input
  SearchOptions search = {};
  std::size_t average = 1;  ///< of how many of the last checkpoints the model is the mean
  int threads = processor_count();

  void add(CLI::App& app);

  /// Prints a line for each line: what training::translate makes of it.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
