#include "gpu/nn/dropout.hpp"

#include <fmt/format.h>

#include "gpu/device/launch.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "ref/numeric/philox_stream.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {

using ref::numeric::Clause;

namespace {

void check_rate(std::string_view function, double rate) {
  ref::tensor::check_option(function, "rate", rate, rate >= 0 && rate < 1, "0 <= rate < 1",
                            Clause::C1);
}

}  // namespace

DeviceTensor<bool> dropout_mask(Device& device, const Shape& shape, double rate,
                                const DropoutKey& key) {
  check_rate("dropout_mask", rate);
  if (key.given.is_given()) {
    ref::tensor::check_shape("dropout_mask", "key.given", key.given.shape(), shape, Clause::C3);
    return key.given;
  }
  DeviceTensor<bool> keep(device, shape);
  const auto stream =
      ref::numeric::philox_stream(key.seed, fmt::format("dropout/{}/{}", key.step, key.place));
  device::launch_elements(device, keep.size(),
                          DropoutMask{stream, ref::numeric::min_upper_bits(rate), keep.span()});
  return keep;
}

DeviceTensor<double> dropout(const DeviceTensor<double>& x, const DeviceTensor<bool>& keep,
                             double rate) {
  check_rate("dropout", rate);
  ref::tensor::check_shape("dropout", "keep", keep.shape(), x.shape(), Clause::C2);
  DeviceTensor<double> y(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(),
                          Dropout{x.span(), keep.span(), 1.0 / (1.0 - rate), y.span()});
  return y;
}

}  // namespace normproof::gpu::nn
