#include "gpu/norm/group_scaling.hpp"

#include "gpu/norm/row_layer.hpp"

namespace normproof::gpu::norm {
namespace {

Shape statistics_shape(const NormInputs& in, std::size_t groups) {
  Shape shape = row_shape(in);
  shape.push_back(groups);
  return shape;
}

}  // namespace

void group_scaling(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                   NormStep& step) {
  constexpr auto kName = "group_scaling";
  const std::size_t groups = check_groups(kName, options.groups, check_x(kName, in).d_model);
  run_row_forward<false>(kName, in, nullptr, options.eps, groups, statistics_shape(in, groups),
                         step);
}

void group_scaling_backward(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                            const NormStep& forward, NormStep& step) {
  constexpr auto kName = "group_scaling_backward";
  const std::size_t groups = check_groups(kName, options.groups, check_x(kName, in).d_model);
  run_row_backward<false>(kName, in, nullptr, {}, forward.outputs.get("rstd"), groups,
                          statistics_shape(in, groups), step);
}

}  // namespace normproof::gpu::norm
