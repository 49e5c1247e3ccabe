#include "gpu/ops/dmma.hpp"

#include <fmt/format.h>

#include "gpu/device/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {

using ref::numeric::Clause;

using device::DeviceTensor;
using device::Shape;

DeviceTensor<double> dmma_product(const DeviceTensor<double>& a, const DeviceTensor<double>& b) {
  const Shape &a_shape = a.shape(), &b_shape = b.shape();
  if (a_shape.size() != 2 || (a_shape[0] != 8 && a_shape[0] != 16) || a_shape[1] == 0 ||
      b_shape != Shape{a_shape[1], 8})
    ref::numeric::contract_failure(
        "dmma_product", "a and b",
        fmt::format("have shapes {} and {}", ref::tensor::to_string(a_shape),
                    ref::tensor::to_string(b_shape)),
        "[8, K] or [16, K], and [K, 8]", Clause::C1);
  device::Device& device = a.device();
  DeviceTensor<double> y(device, {a_shape[0], 8});
#if defined(NORMPROOF_CUDA)
  if (device.backend() == device::Backend::cuda) {
    cuda_dmma(device, a_shape[0], a.span(), b.span(), a_shape[1], y.span());
    return y;
  }
#endif
  throw device::NoDeviceError("no device: mma is an instruction of a GPU; expected --device cuda");
}

}  // namespace normproof::gpu::ops
