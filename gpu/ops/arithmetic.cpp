#include "gpu/ops/arithmetic.hpp"

#include "gpu/device/launch.hpp"
#include "gpu/ops/arithmetic_kernels.hpp"

namespace normproof::gpu::ops {

DeviceTensor<double> add(const DeviceTensor<double>& a, const DeviceTensor<double>& b) {
  DeviceTensor<double> y(a.device(), a.shape());
  device::launch_elements(a.device(), a.size(), Add{a.span(), b.span(), y.span()});
  return y;
}

}  // namespace normproof::gpu::ops
