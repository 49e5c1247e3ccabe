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
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< option, value
  ref::model::Mode mode = ref::model::Mode::training;
  ReportOptions reports = {};

  /// What run() has found beside the enclosures.
  struct Assumed {
    /// Running statistics that the norms are of and the file has not: those of a new layer.
    ref::tensor::NamedTensors<double> statistics = {};
    bool unregularized = false;  ///< eps = 0
    bool stateless = false;      ///< the layer has no running statistics
  };

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints the enclosures of checks::lipschitz::certify for the tensors of a file, and writes where they
  /// are attained.
  /// Throws    UsageError of options; FileError naming file and tensor; std::runtime_error where
  ///           the two derivations contradict one another
  Output run() const;
};

/// The report of a result: the largest norm of all parts, then the parts with the largest norms; or
/// all of it as JSON.
support::report::Document lipschitz_document(const LipschitzCommand& command,
                                             const checks::lipschitz::Lipschitz& result,
                                             const LipschitzCommand::Assumed& assumed);
std::string lipschitz_json(const LipschitzCommand& command,
                           const checks::lipschitz::Lipschitz& result,
                           const LipschitzCommand::Assumed& assumed);

}  // namespace normproof::verification::cli::tools
