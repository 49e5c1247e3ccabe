#include "gpu/norm/instance_norm.hpp"

#include "gpu/norm/group_norm.hpp"
#include "gpu/norm/layer_support.hpp"

namespace normproof::gpu::norm {
namespace {

ref::model::GroupNormOptions channel_group_options(std::size_t d_model, double eps) {
  return {.eps = eps, .groups = static_cast<std::int64_t>(d_model)};
}

}  // namespace

void instance_norm(const ref::model::InstanceNormOptions& options, const NormInputs& in,
                   NormStep& step) {
  group_norm(channel_group_options(check_x("instance_norm", in).d_model, options.eps), in, step);
}

void instance_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  const std::size_t d_model = check_x("instance_norm_backward", in).d_model;
  group_norm_backward(channel_group_options(d_model, 0.0), in, forward, step);
}

}  // namespace normproof::gpu::norm
