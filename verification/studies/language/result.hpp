#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::language {

/// The steps of a run are shared out among as many pieces, one after another.
inline constexpr std::size_t kPieces = 20;

/// A number a piece, or an epoch; absent where there is none that is finite.
using Series = std::vector<std::optional<double>>;

/// How far a batch statistic of a norm layer is from the running one (followed_task.hpp).
struct SiteFluctuation {
  std::string site;            ///< "layers.0.norm1"
  std::string statistic;       ///< "mean", "variance" or "quadratic_mean"
  std::optional<double> mean;  ///< over the steps after the learning rate's warm-up
  Series pieces;               ///< the means of each piece

  bool operator==(const SiteFluctuation&) const = default;
};

/// What the gradient of a power_norm came to beside its bound (traced_task.hpp).
struct SiteBound {
  std::string site;
  std::optional<double> largest = {};  ///< the largest share of the bound in a step, at most 1
  double channels = 1;                 ///< the least share of channels that had a bound in a step
  Series pieces = {};                  ///< the means of the shares in each piece

  bool operator==(const SiteBound&) const = default;
};

/// What a cell computed. Nothing in it depends on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;                      ///< cell_name
  std::string sha256;                    ///< train::state_sha256 after the last step that was taken
  std::string data_sha256;               ///< of what tells the data from other data
  std::size_t steps = 0;                 ///< that were taken
  Series training_loss;                  ///< the means of each piece
  Series validation_loss;                ///< after each epoch
  Series validation_bleu = {};           ///< likewise, of a translator
  std::optional<double> test_loss = {};  ///< of a cell that is tested
  std::optional<double> test_bleu = {};  ///< likewise, of a translator
  std::optional<double> max_weighted_gamma = {};  ///< (1 - alpha) Gamma, of norms with a nu
  std::vector<SiteFluctuation> fluctuation;
  std::vector<SiteBound> gradient_bound = {};  ///< with dynamics, of power_norm
  std::optional<studies::published::Divergence> diverged = {};

  /// After the last epoch; nothing of a run that diverged.
  std::optional<double> last_validation_loss() const;
  std::optional<double> last_validation_bleu() const;

  bool operator==(const CellResult&) const = default;
};

/// One line of JSON, without the end of line; doubles in the shortest form that reads back to the
/// same bits.
std::string result_line(const CellResult& result);

/// Reads what result_line writes.
/// Throws    FileError naming `file`, which may say the line too, the key and the expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::language
