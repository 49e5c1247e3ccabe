#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::commands {

/// Which characters of a text are predicted.
enum class TextPart { validation, test, whole };

struct EvaluateCommand {
  static constexpr const char* name = "evaluate";
  static constexpr const char* summary =
      "Perplexity and bits per character of a language model on a text";

  std::filesystem::path folder = {};               ///< of the run
  std::optional<std::filesystem::path> data = {};  ///< absent: the synthetic text
  TextPart part = TextPart::test;
  std::size_t average = 1;  ///< of how many of the last checkpoints the model is the mean
  int threads = processor_count();

  void add(CLI::App& app);

  /// Prints the mean loss of the characters, its exp and its share of log 2: training::LanguageTask
  /// has them.
  /// Throws    UsageError, FileError
  ExitStatus run() const;
};

}  // namespace normproof::verification::cli::commands
