#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::cli::golden {

struct GoldenBlessCommand {
  static constexpr const char* name = "bless";
  static constexpr const char* summary = "Regenerate a corpus, and accept the new expected values";

  std::filesystem::path golden = {};
  /// The reason why the corpus is replaced. If it is absent, the command asks the user at the
  /// terminal.
  std::optional<std::string> reason = {};
  std::vector<verification::golden::corpus::Tier> tiers =
      {};  ///< further tiers to make, besides those of the corpus
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Generates the corpus again and shows what would change. If a reason is given, replaces the
  /// corpus.
  /// Throws    UsageError if the environment variable CI is set, or if no reason is given and there
  ///           is no terminal
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
