#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/tensor.hpp"

/// Random tensors and masks for the tests of gpu, and the simulated devices that the tests run on.
namespace normproof::gpu {

/// Returns three simulated devices. One runs its threads in ascending order, the other two run them
/// in random orders. A test that runs on all three detects results that depend on the thread order.
inline std::vector<std::unique_ptr<device::Device>> make_simulated_devices() {
  std::vector<std::unique_ptr<device::Device>> result;
  result.reserve(3);
  for (const std::uint64_t seed : {0, 1, 20}) result.push_back(device::simulated_device(seed));
  return result;
}

/// Returns random numbers with magnitudes from about 2^-20 to 2^20. The bits of their sum depend on
/// the order of summation.
inline ref::tensor::Tensor<double> random_wide_range_tensor(const ref::tensor::Shape& shape,
                                                            std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double scale = static_cast<double>(std::uint64_t{1} << random.below(i, 41)) * 0x1p-20;
    result.data()[i] = random.normal(i) * scale;
  }
  return result;
}

/// Returns standard normal numbers.
inline ref::tensor::Tensor<double> random_normal_tensor(const ref::tensor::Shape& shape,
                                                        std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = random.normal(i);
  return result;
}

/// Returns a mask in which about two thirds of the elements are true. The first element of each row
/// is always true.
inline ref::tensor::Mask random_mask(const ref::tensor::Shape& shape, std::string_view name) {
  const ref::numeric::RandomStream random(7, name);
  auto result = ref::tensor::empty_tensor<bool>(shape);
  const std::size_t each = shape.size() > 1 ? shape.back() : result.size();
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = i % each == 0 || random.uniform(i) < 2.0 / 3;
  return result;
}

}  // namespace normproof::gpu
