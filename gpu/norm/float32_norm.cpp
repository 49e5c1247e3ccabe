#include "gpu/norm/float32_norm.hpp"

#include <utility>

#include "gpu/norm/float32_gradient_kernels.hpp"
#include "gpu/norm/float32_row_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::Float32NormOptions;
using ref::numeric::contract_failure;
using ref::numeric::format_of;

/// Calls `work` with the format whose type it is.
template <class Work>
auto with_format(FloatType type, const Work& work) {
  if (type == FloatType::float32) return work(Float32{});
  if (type == FloatType::bfloat16) return work(BFloat16{});
  return work(Float16{});
}

void check_type(std::string_view function, std::string_view option, FloatType type) {
  if (!ref::model::is_stored_by_float32_norm(type))
    contract_failure(function, option, std::string("is ") + format_of(type).name,
                     "float32, bfloat16 or float16", Clause::C12);
}

void check_given(std::string_view function, std::string_view name, const DeviceNumbers& given,
                 FloatType type) {
  if (given.is_given() && given.type() != type)
    contract_failure(function, name, std::string("is ") + format_of(given.type()).name,
                     std::string(format_of(type).name) + ", as the options have it", Clause::C12);
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
  check_type(function, "storage", options.storage);
  check_type(function, "parameters", options.parameters);
  check_given(function, "x", in.x, options.storage);
  check_parameter(function, "gamma", in.gamma, options, shape[1]);
  check_parameter(function, "beta", in.beta, options, shape[1]);
}

/// A parameter as the kernels take it; {} of one that is absent.
DeviceTensor<float> widened(const DeviceNumbers& from, bool plus_one) {
  if (!from.is_given()) return {};
  DeviceTensor<float> to(from.device(), from.shape());
  with_format(from.type(), [&]<class Format>(Format) {
    launch_elements(
        from.device(), to.size(),
        WidenParameter<Format>{from.as<typename Format::Element>().span(), plus_one, to.span()});
  });
  return to;
}

/// launch(tile) with the narrow tile where every row lies in one, or else with the wide one.
template <class Format, class Wide, class Launch>
void with_tile(std::size_t width, const Launch& launch) {
  if (TiledRow<Format, NarrowTile>::tiles(width) == 1)
    launch(NarrowTile{});
  else
    launch(Wide{});
}

template <class Format, bool centred>
void forward_rows(const Float32NormOptions& options, const Float32NormInputs& in,
                  const FloatAffine& affine, Float32NormForward& result) {
  using Element = typename Format::Element;
  const std::size_t rows = in.x.shape()[0], width = in.x.shape()[1];
  with_tile<Format, WideTile>(width, [&]<class Tile>(Tile) {
    launch_blocks(in.x.device(), rows,
                  Float32Forward<Format, centred, Tile>{.x = in.x.as<Element>().span(),
                                                        .affine = affine,
                                                        .eps = static_cast<float>(options.eps),
                                                        .width = width,
                                                        .y = result.y.as<Element>().span(),
                                                        .mean = result.mean.span(),
                                                        .rstd = result.rstd.span()});
  });
}

template <class Format, bool centred>
void backward_rows(const Float32NormInputs& in, const FloatAffine& affine,
                   const Float32NormForward& forward, Float32NormGradients& result) {
  using Element = typename Format::Element;
  const std::size_t rows = in.x.shape()[0], width = in.x.shape()[1];
  with_tile<Format, WideBackwardTile>(width, [&]<class Tile>(Tile) {
    launch_blocks(
        in.x.device(), rows,
        Float32Backward<Format, centred, Tile>{.grad_y = in.grad_y.as<Element>().span(),
                                               .x = in.x.as<Element>().span(),
                                               .affine = affine,
                                               .mean = forward.mean.span(),
                                               .rstd = forward.rstd.span(),
                                               .width = width,
                                               .grad_x = result.grad_x.as<Element>().span()});
  });
}

void add_lanes_up(const DeviceTensor<float>& lanes, DeviceNumbers& sum) {
  const std::size_t width = sum.shape()[0];
  with_format(sum.type(), [&]<class Format>(Format) {
    launch_elements(lanes.device(), width,
                    Float32GradientTree<Format>{lanes.span(), width,
                                                sum.as<typename Format::Element>().span()});
  });
}

template <class Format, bool centred>
void parameter_gradients(const Float32NormInputs& in, const Float32NormForward& forward,
                         Float32NormGradients& result) {
  using Element = typename Format::Element;
  using Kernel = Float32GradientLanes<Format, centred>;
  const std::size_t rows = in.x.shape()[0], width = in.x.shape()[1];
  Device& device = in.x.device();
  DeviceTensor<float> gamma(device, {ops::kLanes, width}), beta(device, {ops::kLanes, width});
  launch_elements(device, ops::kLanes * Kernel::groups(width),
                  Kernel{.grad_y = in.grad_y.as<Element>().span(),
                         .x = in.x.as<Element>().span(),
                         .mean = forward.mean.span(),
                         .rstd = forward.rstd.span(),
                         .rows = rows,
                         .width = width,
                         .gamma = gamma.span(),
                         .beta = beta.span()});
  add_lanes_up(gamma, result.grad_gamma);
  add_lanes_up(beta, result.grad_beta);
}

}  // namespace

Float32NormForward float32_norm(const Float32NormOptions& options, const Float32NormInputs& in) {
  check_inputs("float32_norm", options, in);
  Device& device = in.x.device();
  const DeviceTensor<float> gamma = widened(in.gamma, options.zero_centred_gamma);
  const DeviceTensor<float> beta = widened(in.beta, false);
  const FloatAffine affine{gamma.span(), beta.span()};
  const Shape rows{in.x.shape()[0]};
  Float32NormForward result{.y = DeviceNumbers(device, options.storage, in.x.shape()),
                            .mean = {},
                            .rstd = DeviceTensor<float>(device, rows)};
  if (options.centred) result.mean = DeviceTensor<float>(device, rows);
  with_format(options.storage, [&]<class Format>(Format) {
    if (options.centred)
      forward_rows<Format, true>(options, in, affine, result);
    else
      forward_rows<Format, false>(options, in, affine, result);
  });
  return result;
}

Float32NormGradients float32_norm_backward(const Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward) {
  constexpr auto kName = "float32_norm_backward";
  check_inputs(kName, options, in);
  const Shape rows{in.x.shape()[0]};
  check_shape(kName, "grad_y", in.grad_y.shape(), in.x.shape(), Clause::C5);
  check_given(kName, "grad_y", in.grad_y, options.storage);
  check_shape(kName, "rstd", forward.rstd.shape(), rows, Clause::C6);
  if (options.centred) check_shape(kName, "mean", forward.mean.shape(), rows, Clause::C6);
  Device& device = in.x.device();
  const Shape features{in.x.shape()[1]};
  const DeviceTensor<float> gamma = widened(in.gamma, options.zero_centred_gamma);
  const FloatAffine affine{gamma.span(), {}};
  Float32NormGradients result{.grad_x = DeviceNumbers(device, options.storage, in.x.shape()),
                              .grad_gamma = DeviceNumbers(device, options.parameters, features),
                              .grad_beta = DeviceNumbers(device, options.parameters, features)};
  with_format(options.storage, [&]<class Format>(Format) {
    if (options.centred) {
      backward_rows<Format, true>(in, affine, forward, result);
      parameter_gradients<Format, true>(in, forward, result);
    } else {
      backward_rows<Format, false>(in, affine, forward, result);
      parameter_gradients<Format, false>(in, forward, result);
    }
  });
  return result;
}

}  // namespace normproof::gpu::norm
