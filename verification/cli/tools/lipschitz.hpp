#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/norm_options.hpp"
#include "verification/checks/lipschitz/lipschitz.hpp"
#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

struct LipschitzCommand {
  static constexpr const char* name = "lipschitz";
  static constexpr const char* summary =
      "Enclose the operator norm of a layer's Jacobian, at x and in a ball around it";

  std::string layer = {};
  std::filesystem::path in = {};
  std::optional<std::filesystem::path> out = {};
  double radius = 0;
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< option and value
  ref::model::Mode mode = ref::model::Mode::training;
  ReportOptions reports = {};

  /// Assumptions of a result, to be reported with the enclosures.
  struct Assumed {
    /// Running statistics that the norms depend on but the file lacks; they are those of a new
    /// layer.
    ref::tensor::NamedTensors<double> statistics = {};
    bool unregularized = false;  ///< eps = 0
    bool stateless = false;      ///< the layer has no running statistics
  };

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints the enclosures of checks::lipschitz::certify for the tensors of a file, and writes
  /// where they are attained.
  /// Throws    UsageError about options; FileError naming file and tensor; std::runtime_error if
  ///           the two derivations contradict each other
  Output run() const;
};

/// Returns the report of a result: the largest norm of all parts, then the parts with the largest norms; or
/// all of it as JSON.
support::report::Document lipschitz_document(const LipschitzCommand& command,
                                             const checks::lipschitz::Lipschitz& result,
                                             const LipschitzCommand::Assumed& assumed);
std::string lipschitz_json(const LipschitzCommand& command,
                           const checks::lipschitz::Lipschitz& result,
                           const LipschitzCommand::Assumed& assumed);

}  // namespace normproof::verification::cli::tools
