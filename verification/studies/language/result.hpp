#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::language {

/// The number of pieces into which the steps of a training run are divided. A piece consists of
/// consecutive steps.
inline constexpr std::size_t kPieces = 20;

/// One number per piece or per epoch. A number is absent if it is not finite.
using Series = std::vector<std::optional<double>>;

/// The fluctuation of a norm layer: the distance of its batch statistic from the running value
/// (followed_task.hpp).
struct NormLayerFluctuation {
  std::string site;            ///< name of the norm layer, such as "layers.0.norm1"
  std::string statistic;       ///< "mean", "variance" or "quadratic_mean"
  std::optional<double> mean;  ///< mean over the steps after the warm-up of the learning rate
  Series pieces;               ///< mean over each piece

  bool operator==(const NormLayerFluctuation&) const = default;
};

/// The gradient of a power_norm layer, divided by its proved upper bound (traced_task.hpp).
struct NormLayerGradientBound {
  std::string site;
  std::optional<double> largest = {};  ///< maximum over the steps, at most 1
  double channels = 1;  ///< minimum over the steps of the fraction of channels that have a bound
  Series pieces = {};   ///< mean over each piece

  bool operator==(const NormLayerGradientBound&) const = default;
};

/// The result of a training run. It does not depend on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;                      ///< name of the training run, as written by cell_name()
  std::string sha256;                    ///< train::state_sha256 after the last completed step
  std::string data_sha256;               ///< hash of the text that describes the data
  std::size_t steps = 0;                 ///< number of completed steps
  Series training_loss;                  ///< mean over each piece
  Series validation_loss;                ///< after each epoch
  Series validation_bleu = {};           ///< after each epoch, only for a translator
  std::optional<double> test_loss = {};  ///< only if the model was tested
  std::optional<double> test_bleu = {};  ///< only if the model was tested and is a translator
  /// Maximum of (1 - alpha_backward) Gamma over the steps, for norms with the moving average nu.
  /// Gamma is the statistic mean_x_hat_squared.
  std::optional<double> max_weighted_gamma = {};
  std::vector<NormLayerFluctuation> fluctuation;
  std::vector<NormLayerGradientBound> gradient_bound =
      {};  ///< only for power_norm, if dynamics are recorded
  std::optional<studies::published::Divergence> diverged = {};

  /// Returns the validation loss after the last epoch, or nothing if the run diverged.
  std::optional<double> last_validation_loss() const;
  std::optional<double> last_validation_bleu() const;

  bool operator==(const CellResult&) const = default;
};

/// Returns the result as one line of JSON without a line end. Doubles are written with the fewest
/// digits that read back to the same bits.
std::string result_line(const CellResult& result);

/// Parses a line that result_line() wrote.
/// Throws    FileError naming `file` (a name that may include the line number), the key and the
///           expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::language
