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

/// Which part of the data is evaluated.
enum class TextPart { validation, test, whole };

struct EvaluateCommand {
  static constexpr const char* name = "evaluate";
  static constexpr const char* summary =
      "Compute the perplexity of a language model or a translator, and the BLEU of its "
      "translations";

  std::filesystem::path folder = {};               ///< folder of the training run
  std::optional<std::filesystem::path> data = {};  ///< absent: the synthetic data
  LanguagePair languages = {};                     ///< languages of the sentence pairs
  SearchOptions search = {};                       ///< options of the search; only for a translator
  TextPart part = TextPart::test;
  std::size_t average = 1;  ///< number of checkpoints to average; 1: only the last one
  int threads = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Evaluates a trained model on data. For a language model, prints the mean loss per character,
  /// the exponential of the loss, and the bits per character. For a translator, prints the mean
  /// loss per word, its exponential, and BLEU.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
