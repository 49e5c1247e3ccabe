#include "verification/checks/statistics/slopes.hpp"

#include <variant>

namespace normproof::verification::checks::statistics {

std::vector<LipschitzAtStep> bound_lipschitz_constants(
    std::size_t step, const ref::tensor::Tensor<double>& x, const ref::tensor::Mask& valid,
    const ref::tensor::NamedTensors<double>& power_norm_state, double radius) {
  const ref::norm::NormInputs<double> inputs{.x = x, .valid = valid};
  const std::size_t d_model = ref::tensor::shape_of(x).back();
  std::vector<LipschitzAtStep> slopes;
  for (const std::string& layer : checks::lipschitz::layer_names()) {
    const auto options = ref::model::norm_options(layer);
    const auto state = std::holds_alternative<ref::model::PowerNormOptions>(options)
                           ? power_norm_state
                           : ref::norm::initial_state<double>(options, d_model);
    const checks::lipschitz::Lipschitz found =
        checks::lipschitz::certify(options, inputs, state, radius, 1);
    slopes.push_back({step, layer, found.theory, checks::lipschitz::largest(found.at.norms),
                      checks::lipschitz::largest(found.around.norms)});
  }
  return slopes;
}

}  // namespace normproof::verification::checks::statistics
