#include "gpu/train/gradient_norm.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gpu/device/launch.hpp"
#include "gpu/train/optimizer_kernels.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {
namespace {

/// f(name, values) for each tensor in order.
template <class F>
void for_each_tensor(const Gradients& gradients, F&& f) {
  for (const auto& [name, values] : gradients.dense) f(name, values);
  for (const auto& [name, rows] : gradients.rows) f(name, rows.values);
}

}  // namespace

GradientNorms gradient_norms(const Gradients& gradients) {
  GradientNorms norms;
  double sum = 0;
  for_each_tensor(gradients, [&](const std::string& name, const DeviceTensor<double>& values) {
    DeviceTensor<double> square(values.device(), {1});
    device::launch_blocks(values.device(), 1,
                          ops::WarpRows<SquareSum>{{values.span(), square.span()}});
    const double own = device::download(square).data()[0];
    sum += own;
    if (!std::isfinite(sum))
      ref::numeric::contract_failure("gradient_norms", fmt::format("gradient of {}", name),
                                     fmt::format("makes the sum of squares {}", sum),
                                     "finite elements, so small that it stays finite (C1)");
    norms.of_tensors.emplace_back(name, std::sqrt(own));
  });
  norms.whole = std::sqrt(sum);
  return norms;
}

GradientNorms clip_gradients(Gradients& gradients, std::optional<double> max_norm) {
  if (max_norm)
    ref::tensor::check_option("clip_gradients", "max_norm", *max_norm, *max_norm > 0,
                              "max_norm > 0 (C2)");
  GradientNorms norms = gradient_norms(gradients);
  if (!max_norm || norms.whole <= *max_norm) return norms;
  const double scale = *max_norm / norms.whole;
  for_each_tensor(gradients, [&](const std::string&, DeviceTensor<double> values) {
    device::launch_elements(values.device(), values.size(), ScaleInPlace{scale, values.span()});
  });
  return norms;
}

}  // namespace normproof::gpu::train
