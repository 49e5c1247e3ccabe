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
  /// Names and values of the layer's options.
  std::vector<std::pair<std::string, std::string>> settings = {};
  ref::model::Mode mode = ref::model::Mode::training;
  ReportOptions reports = {};

  /// Assumptions on which a result depends. They are reported together with the enclosures.
  struct Assumed {
    /// Running statistics on which the result depends, but which are not in the file. They are
    /// assumed to have the values of a new layer.
    ref::tensor::NamedTensors<double> statistics = {};
    bool unregularized = false;  ///< whether eps is 0
    bool stateless = false;      ///< whether the layer has no running statistics
  };

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Encloses the norms of the Jacobian for the tensors of a file (checks::lipschitz::certify),
  /// prints the enclosures, and writes the inputs at which the norms are attained.
  /// Throws    UsageError about options; FileError naming file and tensor; std::runtime_error if a
  ///           lower bound of a norm exceeds its upper bound, which means that a derivation is
  ///           wrong
  Output run() const;
};

/// Returns the report of a result. It shows the largest norm over all parts of the input, then the
/// parts with the largest norms. If JSON is requested, it shows all parts.
support::report::Document lipschitz_document(const LipschitzCommand& command,
                                             const checks::lipschitz::Lipschitz& result,
                                             const LipschitzCommand::Assumed& assumed);
std::string lipschitz_json(const LipschitzCommand& command,
                           const checks::lipschitz::Lipschitz& result,
                           const LipschitzCommand::Assumed& assumed);

}  // namespace normproof::verification::cli::tools
