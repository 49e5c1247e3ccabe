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

/// Collects, through a tap of a step, the statistics of each norm of a model as the minimum, mean
/// and maximum of their elements.
class NormStatistics {
 public:
  /// Whether a tensor of that name is a statistic of a norm, such as "layers.0.norm1.mean", and not
  /// x, y or a gradient.
  static bool requests(const std::string& name);

  /// Records a tensor. `name` must satisfy `requests` and `values` must not be empty.
  void see(const std::string& name, const ref::tensor::Tensor<double>& values);

  /// Returns minimum, mean and maximum by site ("layers.0.norm1") and statistic ("mean").
  const std::map<std::string, std::map<std::string, std::vector<double>>>& sites() const {
    return sites_;
  }

  /// Returns the maximum Gamma over the sites whose names begin with `begin`, or 0 if none has one.
  double largest_gamma(std::string_view begin) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> sites_;
};

/// Returns the norms of a model, each with the prefix of the names of its sites.
std::vector<std::pair<const char*, ref::model::NormOptions>> norms_of(const RunConfig& config);

/// Returns 1 - alpha_backward, the weight of the new value in nu, or nothing for norms without nu.
std::optional<double> new_weight(const ref::model::NormOptions& norm);

/// Returns the maximum of (1 - alpha) Gamma over the norms of a model, or nothing if no norm has
/// one.
std::optional<double> largest_weighted_gamma(const RunConfig& config, const NormStatistics& seen);

}  // namespace normproof::verification::training
