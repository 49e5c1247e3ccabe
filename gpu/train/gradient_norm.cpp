#include "gpu/train/gradient_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/device/launch.hpp"
#include "gpu/train/optimizer_kernels.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {

using ref::numeric::Clause;

namespace {

/// Calls f(name, values) for each gradient, in order.
template <class F>
void for_each_tensor(const Gradients& gradients, F&& f) {
  for (const auto& [name, values] : gradients.dense) f(name, values);
  for (const auto& [name, rows] : gradients.rows) f(name, rows.values);
}

}  // namespace

DeviceTensor<double> sums_of_squares(const Gradients& gradients) {
  std::vector<device::ConstReals> tensors;
  Device* device = nullptr;
  std::size_t longest = 0;
  for_each_tensor(gradients, [&](const std::string&, const DeviceTensor<double>& values) {
    tensors.push_back(values.span());
    longest = std::max(longest, values.size());
    device = &values.device();
  });
  if (tensors.empty()) return {};
  const auto there = device::upload(*device, tensors.data(), {tensors.size()});
  DeviceTensor<double> sums(*device, {tensors.size()});
  const auto chunks = static_cast<int>((longest + SquareSums::kChunk - 1) / SquareSums::kChunk);
  device::launch_blocks(*device, tensors.size(), SquareSums{there.span(), chunks, sums.span()});
  return sums;
}

GradientNorms gradient_norms(const Gradients& gradients, const DeviceTensor<double>& sums) {
  const auto squares = device::download(sums);
  GradientNorms norms;
  double sum = 0;
  std::size_t i = 0;
  for_each_tensor(gradients, [&](const std::string& name, const DeviceTensor<double>&) {
    const double own = squares.data()[i++];
    sum += own;
    if (!std::isfinite(sum))
      ref::numeric::contract_failure("gradient_norms", fmt::format("gradient of {}", name),
                                     fmt::format("makes the sum of squares {}", sum),
                                     "finite elements, so small that it stays finite", Clause::C1);
    norms.per_tensor.emplace_back(name, std::sqrt(own));
  });
  norms.whole = std::sqrt(sum);
  return norms;
}

GradientNorms gradient_norms(const Gradients& gradients) {
  return gradient_norms(gradients, sums_of_squares(gradients));
}

void check_max_norm(std::optional<double> max_norm) {
  if (max_norm)
    ref::tensor::check_option("clip_gradients", "max_norm", *max_norm, *max_norm > 0,
                              "max_norm > 0", Clause::C2);
}

void clip_gradients(Gradients& gradients, const GradientNorms& norms,
                    std::optional<double> max_norm) {
  if (!max_norm || norms.whole <= *max_norm) return;
  const double scale = *max_norm / norms.whole;
  for_each_tensor(gradients, [&](const std::string&, DeviceTensor<double> values) {
    device::launch_elements(values.device(), values.size(), ScaleInPlace{scale, values.span()});
  });
}

GradientNorms clip_gradients(Gradients& gradients, std::optional<double> max_norm) {
  check_max_norm(max_norm);
  GradientNorms norms = gradient_norms(gradients);
  clip_gradients(gradients, norms, max_norm);
  return norms;
}

}  // namespace normproof::gpu::train
