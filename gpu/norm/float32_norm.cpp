#include "gpu/norm/float32_norm.hpp"

#include <utility>

#include "gpu/norm/float32_backward_row.hpp"
#include "gpu/norm/float32_forward_row.hpp"
#include "gpu/norm/float32_gradient_kernels.hpp"
#include "gpu/norm/float32_row_kernels.hpp"
#include "gpu/norm/float32_run_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::Float32NormOptions;
using ref::numeric::contract_failure;
using ref::numeric::float_format_info;

/// Calls work(format) with an object of the storage format that `type` names.
template <class Work>
auto call_with_format(FloatType type, const Work& work) {
  if (type == FloatType::float32) return work(Float32{});
  if (type == FloatType::bfloat16) return work(BFloat16{});
  return work(Float16{});
}
/// Calls work(format, scalar, centered). The arguments' types are the storage format of the
/// tensors, the type of the arithmetic, and std::true_type if the layer centers.
template <class Work>
void call_with_kernel_types(const Float32NormOptions& options, const Work& work) {
  const auto with_centred = [&](auto format, auto scalar) {
    if (options.centred)
      work(format, scalar, std::true_type{});
    else
      work(format, scalar, std::false_type{});
  };
  call_with_format(options.storage, [&](auto format) {
    if (options.arithmetic == FloatType::float64)
      with_centred(format, double{});
    else
      with_centred(format, float{});
  });
}

void check_given(std::string_view function, std::string_view name, const DeviceNumbers& given,
                 FloatType type) {
  if (given.is_given() && given.type() != type)
    contract_failure(function, name, std::string("is ") + float_format_info(given.type()).name,
                     std::string(float_format_info(type).name) + ", as the options have it",
                     Clause::C12);
}

void check_parameter(std::string_view function, std::string_view name, const DeviceNumbers& given,
                     const Float32NormOptions& options, std::size_t d_model) {
  if (given.is_given()) check_shape(function, name, given.shape(), {d_model}, Clause::C3);
  check_given(function, name, given, options.parameters);
}

void check_inputs(std::string_view function, const Float32NormOptions& options,
                  const Float32NormInputs& in) {
  const Shape& shape = in.x.shape();
  if (shape.size() != 2 || shape[1] == 0)
    contract_failure(function, "x", "has shape " + ref::tensor::to_string(shape),
                     "[N, D], D at least 1", Clause::C1);
  check_eps(function, options.eps);
  check_formats(function, options, Clause::C12);
  check_given(function, "x", in.x, options.storage);
  check_parameter(function, "gamma", in.gamma, options, shape[1]);
  check_parameter(function, "beta", in.beta, options, shape[1]);
}

void check_matches_x(std::string_view function, std::string_view name, const DeviceNumbers& given,
                     const Float32NormOptions& options, const Float32NormInputs& in,
                     Clause clause) {
  check_shape(function, name, given.shape(), in.x.shape(), clause);
  check_given(function, name, given, options.storage);
}

/// Returns a parameter converted to the type of the arithmetic; {} if the parameter is absent. If
/// `plus_one` is true, adds 1 to each element.
template <class Scalar>
DeviceTensor<Scalar> convert_parameter(const DeviceNumbers& from, bool plus_one) {
  if (!from.is_given()) return {};
  DeviceTensor<Scalar> to(from.device(), from.shape());
  call_with_format(from.type(), [&]<class Format>(Format) {
    launch_elements(from.device(), to.size(),
                    ConvertParameter<Format, Scalar>{from.as<typename Format::Element>().span(),
                                                     plus_one, to.span()});
  });
  return to;
}

/// Runs the forward on `rows` rows. A warp or a block computes a row that fits in one tile. A
/// cluster computes a longer row if the row has at most as many tiles as a cluster has blocks.
/// Otherwise a block computes the row, tile by tile.
template <class Direction>
void launch_rows(Device& device, std::size_t rows, const Direction& of) {
  using Wide = WideTile<Direction::kNumTensors>;
  const int tiles = TiledRow<typename Direction::Format, Wide>::tiles(of.width);
  if (TiledRow<typename Direction::Format, NarrowTile>::tiles(of.width) == 1)
    launch_blocks(device, rows, RowBlocks<Direction, NarrowTile>{of});
  else if (tiles > 1 && tiles <= device.max_cluster_blocks)
    launch_clusters(device, rows, tiles, RowClusters<Direction>{of});
  else
    launch_blocks(device, rows, RowBlocks<Direction, Wide>{of});
}

/// Runs the backward on all rows. Depending on the length of a row, a warp, a block or a cluster
/// computes each run of rows.
template <class Backward>
void launch_runs(Device& device, std::size_t runs, const Backward& of) {
  using Narrow = NarrowRunTile<Backward>;
  using Wide = WideRunTile<Backward>;
  const int tiles = TiledRow<typename Backward::Format, Wide>::tiles(of.width);
  if (TiledRow<typename Backward::Format, Narrow>::tiles(of.width) == 1)
    launch_blocks(device, runs, RunBlocks<Backward, Narrow>{of});
  else if (tiles == 1)
    launch_blocks(device, runs, RunBlocks<Backward, Wide>{of});
  else if (tiles <= device.max_cluster_blocks)
    launch_clusters(device, runs, tiles, RunClusters<Backward>{of});
  else
    launch_blocks(device, runs, RunTiles<Backward>{of});
}

/// Adds the 32 lanes of each column as a tree. `lanes` is [32, columns]. Feature d of `sum` is the
/// sum of column `first + d`.
template <class Scalar>
void add_lanes_in_tree_order(const DeviceTensor<Scalar>& lanes, std::size_t first,
                             DeviceNumbers& sum) {
  const std::size_t width = sum.shape()[0];
  call_with_format(sum.type(), [&]<class Format>(Format) {
    launch_elements(lanes.device(), width,
                    Float32GradientTree<Format, Scalar>{lanes.span(), lanes.shape()[1], first,
                                                        sum.as<typename Format::Element>().span()});
  });
}

template <class Format, class Scalar, bool centred>
void launch_backward_rows(const Float32NormInputs& in, const Float32NormForward& forward,
                          const FloatAffine<Scalar>& affine, Float32NormGradients& result) {
  using Element = typename Format::Element;
  const DeviceTensor<Element>& x = (forward.sum.is_given() ? forward.sum : in.x).as<Element>();
  Device& device = in.x.device();
  const std::size_t rows = in.x.shape()[0], width = in.x.shape()[1], columns = 2 * width;
  const std::size_t count = (rows + kRunLength - 1) / kRunLength;
  DeviceTensor<Scalar> runs(device, {count, columns}), lanes(device, {ops::kLanes, columns});
  launch_runs(
      device, count,
      Float32BackwardRow<Format, Scalar, centred>{.grad_y = in.grad_y.as<Element>().span(),
                                                  .x = x.span(),
                                                  .grad_sum = in.grad_sum.as<Element>().span(),
                                                  .affine = affine,
                                                  .mean = forward.mean.as<Scalar>().span(),
                                                  .rstd = forward.rstd.as<Scalar>().span(),
                                                  .rows = rows,
                                                  .width = width,
                                                  .grad_x = result.grad_x.as<Element>().span(),
                                                  .runs = runs.span()});
  launch_elements(device, lanes.size(),
                  Float32GradientLanes<Scalar>{runs.span(), count, columns, lanes.span()});
  add_lanes_in_tree_order(lanes, 0, result.grad_gamma);
  add_lanes_in_tree_order(lanes, width, result.grad_beta);
}

}  // namespace

Float32NormForward float32_norm(const Float32NormOptions& options, const Float32NormInputs& in) {
  const bool adds = in.residual.is_given();
  const auto name = adds ? "float32_add_norm" : "float32_norm";
  check_inputs(name, options, in);
  if (adds) check_matches_x(name, "residual", in.residual, options, in, Clause::C14);
  Device& device = in.x.device();
  const Shape& shape = in.x.shape();
  const Shape rows{shape[0]};
  Float32NormForward result{.y = DeviceNumbers(device, options.storage, shape),
                            .mean = {},
                            .rstd = DeviceNumbers(device, options.arithmetic, rows)};
  if (options.centred) result.mean = DeviceNumbers(device, options.arithmetic, rows);
  if (adds) result.sum = DeviceNumbers(device, options.storage, shape);
  call_with_kernel_types(options, [&]<class Format, class Scalar, bool centred>(
                                      Format, Scalar, std::bool_constant<centred>) {
    using Element = typename Format::Element;
    const DeviceTensor<Scalar> gamma =
        convert_parameter<Scalar>(in.gamma, options.zero_centred_gamma);
    const DeviceTensor<Scalar> beta = convert_parameter<Scalar>(in.beta, false);
    launch_rows(
        device, shape[0],
        Float32ForwardRow<Format, Scalar, centred>{.x = in.x.as<Element>().span(),
                                                   .residual = in.residual.as<Element>().span(),
                                                   .affine = {gamma.span(), beta.span()},
                                                   .eps = static_cast<Scalar>(options.eps),
                                                   .width = shape[1],
                                                   .sum = result.sum.as<Element>().span(),
                                                   .y = result.y.as<Element>().span(),
                                                   .mean = result.mean.as<Scalar>().span(),
                                                   .rstd = result.rstd.as<Scalar>().span()});
  });
  return result;
}

Float32NormGradients float32_norm_backward(const Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward) {
  constexpr auto kName = "float32_norm_backward";
  check_inputs(kName, options, in);
  const Shape rows{in.x.shape()[0]};
  check_matches_x(kName, "grad_y", in.grad_y, options, in, Clause::C5);
  check_shape(kName, "rstd", forward.rstd.shape(), rows, Clause::C6);
  check_given(kName, "rstd", forward.rstd, options.arithmetic);
  if (options.centred) {
    check_shape(kName, "mean", forward.mean.shape(), rows, Clause::C6);
    check_given(kName, "mean", forward.mean, options.arithmetic);
  }
  if (in.grad_sum.is_given())
    check_matches_x(kName, "grad_sum", in.grad_sum, options, in, Clause::C13);
  Device& device = in.x.device();
  const Shape features{in.x.shape()[1]};
  Float32NormGradients result{.grad_x = DeviceNumbers(device, options.storage, in.x.shape()),
                              .grad_gamma = DeviceNumbers(device, options.parameters, features),
                              .grad_beta = DeviceNumbers(device, options.parameters, features)};
  call_with_kernel_types(options, [&]<class Format, class Scalar, bool centred>(
                                      Format, Scalar, std::bool_constant<centred>) {
    const DeviceTensor<Scalar> gamma =
        convert_parameter<Scalar>(in.gamma, options.zero_centred_gamma);
    launch_backward_rows<Format, Scalar, centred>(in, forward, {gamma.span(), {}}, result);
  });
  return result;
}

}  // namespace normproof::gpu::norm
