#include "gpu/ops/elementary.hpp"

#include "gpu/device/launch.hpp"
#include "gpu/ops/elementary_kernels.hpp"

namespace normproof::gpu::ops {
namespace {

template <Function function>
DeviceTensor<double> apply_to_each(const DeviceTensor<double>& x) {
  DeviceTensor<double> y(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(), Elementary<function>{x.span(), y.span()});
  return y;
}

}  // namespace

DeviceTensor<double> exp(const DeviceTensor<double>& x) {
  return apply_to_each<Function::exp>(x);
}
DeviceTensor<double> log(const DeviceTensor<double>& x) {
  return apply_to_each<Function::log>(x);
}
DeviceTensor<double> tanh(const DeviceTensor<double>& x) {
  return apply_to_each<Function::tanh>(x);
}
DeviceTensor<double> erf(const DeviceTensor<double>& x) {
  return apply_to_each<Function::erf>(x);
}

}  // namespace normproof::gpu::ops
