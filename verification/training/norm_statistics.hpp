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

/// The statistics that each norm of a model leaves in a step, as the least, the mean and the
/// largest of their elements: what a tap of the step sees.
class NormStatistics {
 public:
  /// Whether a tensor of that name is one: "layers.0.norm1.mean", but neither x, y nor a gradient.
  static bool asks_for(const std::string& name);

  /// Of a name that asks_for has; there are elements.
  void see(const std::string& name, const ref::tensor::Tensor<double>& values);

  /// By site, "layers.0.norm1", and by statistic, "mean": least, mean and largest.
  const std::map<std::string, std::map<std::string, std::vector<double>>>& sites() const {
    return sites_;
  }

  /// The largest Gamma of the sites whose names begin so; 0 where none has one.
  double largest_gamma(std::string_view begin) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> sites_;
};

/// The norms of a model, each with what the names of its sites begin with.
std::vector<std::pair<const char*, ref::model::NormOptions>> norms_of(const RunConfig& config);

/// 1 - alpha_backward, the weight of the new value in nu; nothing for norms without nu.
std::optional<double> new_weight(const ref::model::NormOptions& norm);

/// The largest (1 - alpha) Gamma of a model's norms; nothing where no norm has one.
std::optional<double> largest_weighted_gamma(const RunConfig& config, const NormStatistics& seen);

}  // namespace normproof::verification::training
