#include "verification/training/norm_statistics.hpp"

#include <algorithm>
#include <utility>

#include "ref/model/norm_layers.hpp"

namespace normproof::verification::training {

using ref::tensor::Tensor;

std::vector<std::pair<const char*, ref::model::NormOptions>> model_norms(const RunConfig& config) {
  if (config.task != Task::translate) return {{"", config.train.encoder.norm}};
  const auto &encoder = config.translator.encoder, &decoder = config.translator.decoder;
  return {{"encoder.layers.", encoder.norm},
          {"encoder.final_norm", encoder.final_norm},
          {"decoder.layers.", decoder.norm},
          {"decoder.final_norm", decoder.final_norm}};
}

bool NormStatistics::requests(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (name.starts_with("grad_") || dot == std::string::npos) return false;
  return name.find("norm") < dot && !name.ends_with(".x") && !name.ends_with(".y");
}

void NormStatistics::record(const std::string& name, const Tensor<double>& values) {
  const std::size_t dot = name.rfind('.');
  const std::string site = name.substr(0, dot), statistic = name.substr(dot + 1);
  double sum = 0;
  for (const double v : values) sum += v;
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  sites_[site][statistic] = {*least, sum / static_cast<double>(values.size()), *largest};
}

double NormStatistics::max_gamma_statistic(std::string_view begin) const {
  double most = 0;
  for (const auto& [site, statistics] : sites_)
    if (const auto found = statistics.find("mean_x_hat_squared");
        found != statistics.end() && site.starts_with(begin))
      most = std::max(most, found->second.back());
  return most;
}

std::optional<double> new_weight(const ref::model::NormOptions& norm) {
  const std::optional<double> old_weight = ref::model::number_option(norm, "alpha_backward");
  return old_weight ? std::optional(1 - *old_weight) : std::nullopt;
}

std::optional<double> max_weighted_gamma_statistic(const RunConfig& config,
                                                   const NormStatistics& seen) {
  std::optional<double> most;
  for (const auto& [begin, norm] : model_norms(config))
    if (const auto weight = new_weight(norm))
      most = std::max(most.value_or(0), *weight * seen.max_gamma_statistic(begin));
  return most;
}

}  // namespace normproof::verification::training
