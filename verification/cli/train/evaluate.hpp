#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/train/search_options.hpp"
#include "verification/cli/train/training_source.hpp"

namespace normproof::verification::cli::train {

/// Which characters of a text are predicted, or which pairs are translated.
enum class TextPart { validation, test, whole };

struct EvaluateCommand {
  static constexpr const char* name = "evaluate";
  static constexpr const char* summary =
      "Perplexity of a language model or of a translator, and the BLEU of its translations";

  std::filesystem::path folder = {};               ///< of the run
  std::optional<std::filesystem::path> data = {};  ///< absent: what is synthetic
  Languages languages = {};                        ///< of pairs
  SearchOptions search = {};                       ///< of a translator
  TextPart part = TextPart::test;
  std::size_t average = 1;  ///< of how many of the last checkpoints the model is the mean
  int threads = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints the mean loss of the characters, its exp and its share of log 2, as
  /// training::LanguageTask has them; of a translator that of the words, its exp, and BLEU.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
