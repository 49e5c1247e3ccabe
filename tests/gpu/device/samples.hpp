#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/tensor.hpp"

/// Tensors for the tests of gpu, and the devices that every test runs on.
namespace normproof::gpu {

/// Returns simulated devices with the ascending thread order and two random ones, to detect bits
/// that depend on the order.
inline std::vector<std::unique_ptr<device::Device>> devices() {
  std::vector<std::unique_ptr<device::Device>> result;
  result.reserve(3);
  for (const std::uint64_t seed : {0, 1, 20}) result.push_back(device::simulated_device(seed));
  return result;
}

/// Returns random numbers of all magnitudes between 2^-20 and 2^20, so that sums in another order
/// have other bits.
inline ref::tensor::Tensor<double> sample(const ref::tensor::Shape& shape, std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double scale = static_cast<double>(std::uint64_t{1} << random.below(i, 41)) * 0x1p-20;
    result.data()[i] = random.normal(i) * scale;
  }
  return result;
}

/// Returns standard normal numbers.
inline ref::tensor::Tensor<double> plain_sample(const ref::tensor::Shape& shape,
                                                std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = random.normal(i);
  return result;
}

/// Returns a mask in which about two of three elements are true, including the first of each row.
inline ref::tensor::Mask sample_mask(const ref::tensor::Shape& shape, std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<bool>(shape);
  const std::size_t each = shape.size() > 1 ? shape.back() : result.size();
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = i % each == 0 || random.uniform(i) < 2.0 / 3;
  return result;
}

}  // namespace normproof::gpu
