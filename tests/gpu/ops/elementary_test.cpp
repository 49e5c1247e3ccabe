#include "gpu/ops/elementary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/numeric/elementary.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using Tensor = ref::tensor::Tensor<double>;

template <class F>
Tensor apply_to_each(F f, const Tensor& x) {
  Tensor y = ref::tensor::empty_tensor<double>({x.size()});
  for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] = f(x.data()[i]);
  return y;
}

TEST(DeviceElementaryFunctions, MatchTheBitsOfTheHostFunctions) {
  const auto device = device::simulated_device();
  Tensor x = random_wide_range_tensor({4000}, "x");
  // Inputs for which the fast phase is inconclusive or skipped.
  const double inf = std::numeric_limits<double>::infinity();
  const double some[] = {0.0,  -0.0,  inf,  -inf, 709.9,     -745.2, 0x1p-1074, 0x1p-60,
                         20.0, -19.9, 5.99, 6.0,  0x1p-1000, 1e300,  1.0,       710.1};
  for (std::size_t i = 0; i < std::size(some); ++i) x.data()[i] = some[i];
  const auto there = device::upload(*device, x);
  EXPECT_BITS_EQ(device::download(exp(there)),
                 apply_to_each([](double v) { return ref::numeric::exp(v); }, x));
  EXPECT_BITS_EQ(device::download(tanh(there)),
                 apply_to_each([](double v) { return ref::numeric::tanh(v); }, x));
  EXPECT_BITS_EQ(device::download(erf(there)),
                 apply_to_each([](double v) { return ref::numeric::erf(v); }, x));
  for (double& v : x) v = v < 0 ? -v : v;
  EXPECT_BITS_EQ(device::download(log(device::upload(*device, x))),
                 apply_to_each([](double v) { return ref::numeric::log(v); }, x));
}

}  // namespace
}  // namespace normproof::gpu::ops
