#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/gate/relations.hpp"

namespace normproof::verification::cli::golden {

struct GoldenRelationsCommand {
  static constexpr const char* name = "relations";
  static constexpr const char* summary =
      "Compare the outputs for variants of a case with each other";

  std::filesystem::path golden = {};
  std::string pipe = {};  ///< shell command that starts the candidate
  double timeout = 60;    ///< maximum seconds for the output of one case
  std::vector<verification::golden::gate::Relation> relations =
      verification::golden::gate::all_relations();
  verification::golden::corpus::PathGlobs only = {};
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Checks relations between a program's outputs for variants of each case. Prints one line per
  /// relation, and each violation with the command that repeats it.
  /// Returns   kSuccess if every applicable relation held, and at least one relation was applicable
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
