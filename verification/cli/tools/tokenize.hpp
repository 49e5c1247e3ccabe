#pragma once

#include "verification/cli/command.hpp"
#include "verification/cli/corpus.hpp"

namespace normproof::verification::cli::tools {

struct TokenizeCommand {
  static constexpr const char* name = "tokenize";
  static constexpr const char* summary =
      "Print the token ids of each sentence, one line per sentence";

  CorpusFiles files = {};

  void add(CLI::App& app);

  /// Prints the token ids of the sentences of a corpus, one sentence per line.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::tools
