#include "gpu/norm/norm.hpp"

#include "gpu/norm/batch_norm.hpp"
#include "gpu/norm/batch_renorm.hpp"
#include "gpu/norm/dyt.hpp"
#include "gpu/norm/group_norm.hpp"
#include "gpu/norm/group_scaling.hpp"
#include "gpu/norm/instance_norm.hpp"
#include "gpu/norm/layer_norm.hpp"
#include "gpu/norm/layer_support.hpp"
#include "gpu/norm/power_norm.hpp"
#include "gpu/norm/power_norm_released.hpp"
#include "gpu/norm/power_norm_v.hpp"
#include "gpu/norm/rms_norm.hpp"
#include "gpu/norm/scale_norm.hpp"
#include "gpu/ops/arithmetic.hpp"

namespace normproof::gpu::norm {
namespace {

namespace model = ref::model;

/// Throws if a parameter is given that the layer does not have.
void check_parameters(const model::NormLayer& layer, const NormInputs& in) {
  if (in.gamma.is_given()) model::check_parameter(layer, "gamma");
  if (in.beta.is_given()) model::check_parameter(layer, "beta");
  for (const auto& [name, values] : in.others) model::check_parameter(layer, name);
}

/// Returns the inputs with the gamma that the layer multiplies by: a zero-centered gamma is
/// replaced by 1 + gamma.
NormInputs use_effective_gamma(const model::NormOptions& options, NormInputs in) {
  in.gamma = effective_gamma(in.gamma, model::has_zero_centered_gamma(options));
  return in;
}

/// The layer `none`, which is the identity.
void none(const NormInputs& in, NormStep& step) {
  check_x("none", in);
  check_finite("none", "x", in.x, Clause::C4);
  step.outputs.set("y", in.x);
}
void none_backward(const NormInputs& in, NormStep& step) {
  check_shape("none", "grad_y", in.grad_y.shape(), in.x.shape(), Clause::C5);
  check_finite("none", "grad_y", in.grad_y, Clause::C7);
  step.outputs.set("grad_x", in.grad_y);
}

struct ForwardVisitor {
  const NormInputs& in;
  NormStep& step;
  void operator()(const model::NoneOptions&) const { none(in, step); }
  void operator()(const model::LayerNormOptions& o) const { layer_norm(o, in, step); }
  void operator()(const model::RMSNormOptions& o) const { rms_norm(o, in, step); }
  void operator()(const model::DyTOptions& o) const { dyt(o, in, step); }
  void operator()(const model::GroupNormOptions& o) const { group_norm(o, in, step); }
  void operator()(const model::InstanceNormOptions& o) const { instance_norm(o, in, step); }
  void operator()(const model::ScaleNormOptions& o) const { scale_norm(o, in, step); }
  void operator()(const model::GroupScalingOptions& o) const { group_scaling(o, in, step); }
  void operator()(const model::BatchNormOptions& o) const { batch_norm(o, in, step); }
  void operator()(const model::BatchRenormOptions& o) const { batch_renorm(o, in, step); }
  void operator()(const model::PowerNormVOptions& o) const { power_norm_v(o, in, step); }
  void operator()(const model::PowerNormOptions& o) const { power_norm(o, in, step); }
  void operator()(const model::PowerNormReleasedOptions& o) const {
    power_norm_released(o, in, step);
  }
};

struct BackwardVisitor {
  const NormInputs& in;
  const NormStep& forward;
  NormStep& step;
  void operator()(const model::NoneOptions&) const { none_backward(in, step); }
  void operator()(const model::LayerNormOptions&) const { layer_norm_backward(in, forward, step); }
  void operator()(const model::RMSNormOptions&) const { rms_norm_backward(in, forward, step); }
  void operator()(const model::DyTOptions& o) const { dyt_backward(o, in, step); }
  void operator()(const model::GroupNormOptions& o) const {
    group_norm_backward(o, in, forward, step);
  }
  void operator()(const model::InstanceNormOptions&) const {
    instance_norm_backward(in, forward, step);
  }
  void operator()(const model::ScaleNormOptions&) const { scale_norm_backward(in, forward, step); }
  void operator()(const model::GroupScalingOptions& o) const {
    group_scaling_backward(o, in, forward, step);
  }
  void operator()(const model::BatchNormOptions&) const { batch_norm_backward(in, forward, step); }
  void operator()(const model::BatchRenormOptions&) const {
    batch_renorm_backward(in, forward, step);
  }
  void operator()(const model::PowerNormVOptions&) const {
    power_norm_v_backward(in, forward, step);
  }
  void operator()(const model::PowerNormOptions& o) const {
    power_norm_backward(o, in, forward, step);
  }
  void operator()(const model::PowerNormReleasedOptions& o) const {
    power_norm_released_backward(o, in, forward, step);
  }
};

}  // namespace

DeviceTensor<double> effective_gamma(const DeviceTensor<double>& gamma, bool zero_centered) {
  if (!zero_centered || !gamma.is_given()) return gamma;
  return ops::add(gamma, device::full_tensor(gamma.device(), {1}, 1));
}

NamedDeviceTensors initial_state(Device& device, const model::NormOptions& options,
                                 std::size_t d_model) {
  NamedDeviceTensors state;
  for (const model::NormState& entry : model::norm_layer(options).state)
    state.set(entry.name, device::full_tensor(device, {model::entry_extent(entry.shape, d_model)},
                                              entry.initial));
  return state;
}

NormStep norm_forward(const model::NormOptions& options, const NormInputs& in,
                      const NamedDeviceTensors& state) {
  check_parameters(model::norm_layer(options), in);
  model::check_row_layout(options);
  NormStep step{{}, state};
  std::visit(ForwardVisitor{use_effective_gamma(options, in), step},
             model::use_plain_gamma(options));
  return step;
}

NormStep norm_backward(const model::NormOptions& options, const NormInputs& in,
                       const NormStep& forward) {
  model::check_row_layout(options);
  NormStep step{{}, forward.state};
  std::visit(BackwardVisitor{use_effective_gamma(options, in), forward, step}, options);
  return step;
}

}  // namespace normproof::gpu::norm
