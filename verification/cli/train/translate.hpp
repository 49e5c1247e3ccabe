#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/train/search_options.hpp"

namespace normproof::verification::cli::train {

struct TranslateCommand {
  static constexpr const char* name = "translate";
  static constexpr const char* summary = "Translate sentences, one per line";

  std::filesystem::path folder = {};  ///< folder of the training run
  std::filesystem::path in = {};      ///< file with one sentence per line; "-": standard input
  SearchOptions search = {};
  std::size_t average = 1;  ///< number of checkpoints to average; 1: only the last one
  int threads = processor_count();

  void add(CLI::App& app);

  /// Prints a translation of each line of the file, by the trained translator.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
