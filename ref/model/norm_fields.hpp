#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

/// The version of the corpus that added two things: the layouts of images, and the option to store
/// gamma as `gamma - 1`.
inline constexpr SinceVersion kSinceImageLayouts{"2.11.0"};

// The functions below list the fields of each struct of options by name. Setting an option, listing
// the options and error messages all use this list.
inline void visit_fields(NoneOptions&, auto&&) {}
inline void visit_fields(BatchNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("unbiased_running_variance", o.unbiased_running_variance);
  f("layout", o.layout, kSinceImageLayouts);
}
inline void visit_fields(LayerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("zero_centred_gamma", o.zero_centred_gamma, kSinceImageLayouts);
}
inline void visit_fields(RMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("cast_order", o.cast_order);
  f("storage", o.storage);
  f("zero_centred_gamma", o.zero_centred_gamma, kSinceImageLayouts);
}
inline void visit_fields(GroupNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
  f("layout", o.layout, kSinceImageLayouts);
}
inline void visit_fields(InstanceNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
inline void visit_fields(PowerNormVOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
}
inline void visit_fields(PowerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
}
inline void visit_fields(PowerNormReleasedOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
  f("groups", o.groups);
  f("group_eps", o.group_eps);
  f("group_scaling", o.group_scaling);
  f("divide_by_batch_psi", o.divide_by_batch_psi);
  f("cumulative_warmup_average", o.cumulative_warmup_average);
  f("pads_in_backward", o.pads_in_backward);
  f("scaled_nu", o.scaled_nu);
}
inline void visit_fields(BatchRenormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("r_max", o.r_max);
  f("d_max", o.d_max);
}
inline void visit_fields(ScaleNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
inline void visit_fields(GroupScalingOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
}
inline void visit_fields(DyTOptions& o, auto&& f) {
  f("alpha0", o.alpha0);
}

}  // namespace normproof::ref::model
