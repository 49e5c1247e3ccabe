#include "gpu/encoder/norm_site.hpp"

#include <fmt/format.h>

#include <utility>

namespace normproof::gpu::encoder {

NamedNorm::NamedNorm(const ref::model::NormOptions& norm, const NamedDeviceTensors& parameters,
                     std::string place)
    : norm_(norm), place_(std::move(place)) {
  for (const ref::model::NormParameter& own : ref::model::norm_layer(norm_).parameters)
    norm::set_parameter(inputs_, own.name, parameters.get(fmt::format("{}.{}", place_, own.name)));
}

DeviceTensor<double> NamedNorm::forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                                        const ModelRunSettings& run, NamedDeviceTensors& state) {
  inputs_.x = x;
  inputs_.valid = valid;
  inputs_.mode = run.mode;
  statistics_ = run.statistics;
  NamedDeviceTensors own;
  for (const auto& [name, values] : state)
    if (name.starts_with(place_) && name[place_.size()] == '.')
      own.set(name.substr(place_.size() + 1), values);
  forward_ = norm::norm_forward(norm_, inputs_, own);
  for (const auto& [name, values] : forward_.state)
    state.set(fmt::format("{}.{}", place_, name), values);
  report_statistics(forward_);
  return forward_.outputs.at("y");
}

void NamedNorm::report_statistics(const norm::NormStep& step) const {
  if (statistics_ == nullptr) return;
  for (const auto& [name, values] : step.outputs)
    if (name != "y" && !name.starts_with("grad_"))
      statistics_->set(fmt::format("{}.{}", place_, name), values);
}

DeviceTensor<double> NamedNorm::backward(const DeviceTensor<double>& grad_y,
                                         NamedDeviceTensors& state, NamedDeviceTensors& gradients) {
  inputs_.grad_y = grad_y;
  const norm::NormStep step = norm::norm_backward(norm_, inputs_, forward_);
  report_statistics(step);
  for (const auto& [name, values] : step.state)
    state.set(fmt::format("{}.{}", place_, name), values);
  for (const ref::model::NormParameter& own : ref::model::norm_layer(norm_).parameters)
    if (norm::get_parameter(inputs_, own.name).is_given())
      gradients.set(fmt::format("{}.{}", place_, own.name),
                    step.outputs.at(fmt::format("grad_{}", own.name)));
  forward_ = {};
  return step.outputs.at("grad_x");
}

}  // namespace normproof::gpu::encoder
