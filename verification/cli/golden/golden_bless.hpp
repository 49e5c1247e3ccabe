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
  std::optional<std::string> reason = {};  ///< absent: it is read from the terminal
  std::vector<verification::golden::corpus::Tier> tiers =
      {};  ///< in addition to those of the corpus
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Makes a corpus again, shows what would change, and replaces the corpus if a reason is given.
  /// Throws    UsageError if CI is set, or if nobody can be asked for a reason
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
