#include "ref/encoder/norm_site.hpp"

#include <fmt/format.h>

#include <utility>

namespace normproof::ref::encoder {

namespace {

template <class T>
NamedTensors<T> select_state(const NamedTensors<T>& state, const std::string& place) {
  NamedTensors<T> own;
  for (const auto& [name, values] : state)
    if (name.size() > place.size() && name.starts_with(place) && name[place.size()] == '.')
      own.set(name.substr(place.size() + 1), values);
  return own;
}

template <class T>
void store_state(NamedTensors<T>& state, const std::string& place, const NamedTensors<T>& own) {
  for (const auto& [name, values] : own) state.set(fmt::format("{}.{}", place, name), values);
}

}  // namespace

template <numeric::Real T>
Tensor<T> run_norm(const model::NormOptions& norm, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NamedNorm<T>& site, const TensorTap<T>& tap) {
  pass_to_tap(tap, place + ".x", x);
  site.inputs = {.x = std::move(x), .valid = valid, .mode = mode};
  for (const auto& [name, values] : parameters) norm::set_parameter(site.inputs, name, values);
  site.forward = norm::norm_forward(norm, site.inputs, select_state(state, place));
  if (mode == model::Mode::training) store_state(state, place, site.forward.state);
  Tensor<T> y = std::move(site.forward.outputs.at("y"));
  for (const auto& [name, values] : site.forward.outputs)
    if (name != "y") pass_to_tap(tap, fmt::format("{}.{}", place, name), values);
  pass_to_tap(tap, place + ".y", y);
  return y;
}

template <numeric::Real T>
Tensor<T> run_norm_backward(const model::NormOptions& norm, Tensor<T> grad_y,
                            const std::string& place, NamedTensors<T>& state, NamedNorm<T>& site,
                            norm::NormParameters<T>& gradients, const TensorTap<T>& tap) {
  pass_to_tap(tap, "grad_" + place + ".y", grad_y);
  site.inputs.grad_y = std::move(grad_y);
  norm::NormStep<T> step = norm::norm_backward(norm, site.inputs, site.forward);
  store_state(state, place, step.state);
  for (const auto& [name, values] : step.outputs)
    if (!name.starts_with("grad_")) pass_to_tap(tap, fmt::format("{}.{}", place, name), values);
  for (const model::NormParameter& own : model::norm_layer(norm).parameters)
    if (norm::find_parameter(site.inputs, own.name) != nullptr)
      gradients.set(own.name, std::move(step.outputs.at(fmt::format("grad_{}", own.name))));
  Tensor<T> grad_x = std::move(step.outputs.at("grad_x"));
  site = {};
  pass_to_tap(tap, "grad_" + place + ".x", grad_x);
  return grad_x;
}

#define NORMPROOF_INSTANTIATE(T)                                                                  \
  template Tensor<T> run_norm(const model::NormOptions&, const norm::NormParameters<T>&,          \
                              Tensor<T>, const Mask&, model::Mode, const std::string&,            \
                              NamedTensors<T>&, NamedNorm<T>&, const TensorTap<T>&);              \
  template Tensor<T> run_norm_backward(const model::NormOptions&, Tensor<T>, const std::string&,  \
                                       NamedTensors<T>&, NamedNorm<T>&, norm::NormParameters<T>&, \
                                       const TensorTap<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
