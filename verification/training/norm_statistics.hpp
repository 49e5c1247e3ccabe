#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// Collects the statistics that each norm of a model computes in one training step. It stores the
/// minimum, mean and maximum of each statistic over its elements.
class NormStatistics {
 public:
  /// Whether the tensor of this name is a statistic of a norm, such as "layers.0.norm1.mean".
  /// Inputs x, outputs y and gradients of norms are not statistics.
  static bool requests(const std::string& name);

  /// Records the tensor `name` of the step.
  /// Requires  requests(name) is true, and `values` is not empty
  void record(const std::string& name, const ref::tensor::Tensor<double>& values);

  /// Returns minimum, mean and maximum of each statistic. The keys are the name of the norm layer
  /// in the model ("layers.0.norm1") and the name of the statistic ("mean").
  const std::map<std::string, std::map<std::string, std::vector<double>>>& sites() const {
    return sites_;
  }

  /// Returns the maximum of the statistic mean_x_hat_squared (Gamma in docs/specification/norms.md)
  /// over the norm layers whose names begin with `begin`. Returns 0 if no such layer has this
  /// statistic.
  double max_gamma_statistic(std::string_view begin) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> sites_;
};

/// Returns the options of the norms of a model. Each entry has a prefix, such as "decoder.layers.",
/// and the options of all norm layers whose names begin with this prefix.
std::vector<std::pair<const char*, ref::model::NormOptions>> model_norms(const RunConfig& config);

/// Returns 1 - alpha_backward, the weight that a new value has in the moving average nu of
/// PowerNorm. Returns nothing for a norm without nu.
std::optional<double> new_weight(const ref::model::NormOptions& norm);

/// Returns the maximum of (1 - alpha_backward) Gamma over the norm layers of a model, or nothing if
/// no norm has the option alpha_backward. Gamma is the statistic mean_x_hat_squared of the layer.
std::optional<double> max_weighted_gamma_statistic(const RunConfig& config,
                                                   const NormStatistics& seen);

}  // namespace normproof::verification::training
