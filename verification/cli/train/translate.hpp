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

  std::filesystem::path folder = {};  ///< folder of the run
  std::filesystem::path in = {};      ///< "-": standard input
  SearchOptions search = {};
  std::size_t average = 1;  ///< number of last checkpoints whose mean is the model
  int threads = processor_count();

  void add(CLI::App& app);

  /// Prints the translation of each line by training::translate.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
