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
  static constexpr const char* summary = "Make a corpus again, and change what is expected";

  std::filesystem::path golden = {};
  std::optional<std::string> reason = {};                      ///< absent: the terminal is asked
  std::vector<verification::golden::corpus::Tier> tiers = {};  ///< besides those of the corpus
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Makes a corpus again, shows what would change, and changes it where there is a reason.
  /// Throws    UsageError where CI is set, or there is nobody to give a reason
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
