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

/// The part of a text to predict, or of the pairs to translate.
enum class TextPart { validation, test, whole };

struct EvaluateCommand {
  static constexpr const char* name = "evaluate";
  static constexpr const char* summary =
      "Compute the perplexity of a language model or a translator, and the BLEU of its "
      "translations";

  std::filesystem::path folder = {};               ///< folder of the run
  std::optional<std::filesystem::path> data = {};  ///< absent: the synthetic data
  Languages languages = {};                        ///< languages of the pairs
  SearchOptions search = {};                       ///< for a translator
  TextPart part = TextPart::test;
  std::size_t average = 1;  ///< number of last checkpoints whose mean is the model
  int threads = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints the loss of a model on data. For a language model: the mean loss per character, its
  /// exp, and the bits per character, as training::LanguageTask computes them. For a translator:
  /// the mean loss per word, its exp, and BLEU.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
