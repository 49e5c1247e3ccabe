#include "verification/claims/plain_channel.hpp"

#include <algorithm>
#include <utility>

namespace normproof::verification::claims {

PlainChannel::PlainChannel(const Subject& subject, const NormOptions& options)
    : subject_(subject), options_(options), state_(ref::norm::initial_state<double>(options, 1)) {}

PlainMoment PlainChannel::step(const std::vector<double>& x, const std::vector<double>& grad_y,
                               const std::vector<bool>& valid) {
  NormInputs<double> inputs;
  inputs.x = ref::tensor::empty_tensor<double>({x.size(), 1});
  inputs.grad_y = ref::tensor::empty_tensor<double>({x.size(), 1});
  std::copy(x.begin(), x.end(), inputs.x.data());
  std::copy(grad_y.begin(), grad_y.end(), inputs.grad_y.data());
  if (!valid.empty()) {
    inputs.valid = ref::tensor::Mask::from_shape({x.size()});
    std::copy(valid.begin(), valid.end(), inputs.valid.data());
  }
  auto step = subject_.step<double>(options_, inputs, state_);
  state_ = std::move(step.state);
  const auto& grad_x = step.outputs.at("grad_x");
  return {.grad_x = std::vector<double>(grad_x.data(), grad_x.data() + grad_x.size()),
          .rstd = step.outputs.at("rstd").data()[0],
          .nu = nu(),
          .Gamma = step.outputs.at("mean_x_hat_squared").data()[0]};
}

}  // namespace normproof::verification::claims
