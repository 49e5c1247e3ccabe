#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::language {

/// The number of consecutive pieces that the steps of a run are divided into.
inline constexpr std::size_t kPieces = 20;

/// One number per piece or epoch; absent if there is no finite one.
using Series = std::vector<std::optional<double>>;

/// The distance of a norm layer's batch statistic from the running one (followed_task.hpp).
struct SiteFluctuation {
  std::string site;            ///< "layers.0.norm1"
  std::string statistic;       ///< "mean", "variance" or "quadratic_mean"
  std::optional<double> mean;  ///< over the steps after the learning rate's warm-up
  Series pieces;               ///< mean of each piece

  bool operator==(const SiteFluctuation&) const = default;
};

/// The gradient of a power_norm relative to its bound (traced_task.hpp).
struct SiteBound {
  std::string site;
  std::optional<double> largest = {};  ///< maximum over the steps of gradient / bound, at most 1
  double channels = 1;  ///< minimum over the steps of the share of channels with a bound
  Series pieces = {};   ///< mean of gradient / bound in each piece

  bool operator==(const SiteBound&) const = default;
};

/// The result of a cell. It does not depend on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;                      ///< cell_name
  std::string sha256;                    ///< train::state_sha256 after the last step that was taken
  std::string data_sha256;               ///< hash of the description of the data
  std::size_t steps = 0;                 ///< number of steps taken
  Series training_loss;                  ///< mean of each piece
  Series validation_loss;                ///< after each epoch
  Series validation_bleu = {};           ///< after each epoch, for a translator
  std::optional<double> test_loss = {};  ///< for a cell that is tested
  std::optional<double> test_bleu = {};  ///< for a translator that is tested
  /// Maximum of (1 - alpha) Gamma, for norms with nu.
  std::optional<double> max_weighted_gamma = {};
  std::vector<SiteFluctuation> fluctuation;
  std::vector<SiteBound> gradient_bound = {};  ///< with dynamics, for power_norm
  std::optional<studies::published::Divergence> diverged = {};

  /// Returns the value after the last epoch, or nothing if the run diverged.
  std::optional<double> last_validation_loss() const;
  std::optional<double> last_validation_bleu() const;

  bool operator==(const CellResult&) const = default;
};

/// Returns the result as one line of JSON without a line end. Doubles have the shortest form that
/// reads back to the same bits.
std::string result_line(const CellResult& result);

/// Parses what result_line wrote.
/// Throws    FileError naming `file`, which may include the line, the key and the expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::language
