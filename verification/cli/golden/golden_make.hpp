#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::cli::golden {

struct GoldenMakeCommand {
  static constexpr const char* name = "make";
  static constexpr const char* summary = "Write a corpus: inputs and certified expected outputs";

  std::filesystem::path out = {};
  std::vector<verification::golden::corpus::Tier> tiers = {
      verification::golden::corpus::Tier::quick};
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Generates a corpus, writes it into a folder, and prints a summary.
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
