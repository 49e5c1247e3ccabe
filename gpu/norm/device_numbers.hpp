#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/device/tensor.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::gpu::norm {

using device::Device;
using device::DeviceTensor;
using device::Shape;
using device::Tensor;
using ref::numeric::FloatType;

/// A tensor of float64, float32, bfloat16 or float16 numbers in device memory, stored in that
/// format. {} is an absent tensor.
class DeviceNumbers {
 public:
  DeviceNumbers() = default;
  /// Allocates a tensor without initializing its elements. `type` must be float64, float32,
  /// bfloat16 or float16.
  DeviceNumbers(Device& device, FloatType type, const Shape& shape);

  FloatType type() const { return type_; }
  const Shape& shape() const;
  bool is_given() const;
  Device& device() const;

  /// Returns the tensor with the element type that kernels use: double for float64, float for
  /// float32, std::uint16_t for the others. `Element` must be this type.
  template <class Element>
  auto& as() {
    if constexpr (std::is_same_v<Element, double>)
      return doubles_;
    else if constexpr (std::is_same_v<Element, float>)
      return floats_;
    else
      return halves_;
  }
  template <class Element>
  const auto& as() const {
    return const_cast<DeviceNumbers*>(this)->as<Element>();
  }

 private:
  FloatType type_ = FloatType::float32;
  DeviceTensor<double> doubles_;
  DeviceTensor<float> floats_;
  DeviceTensor<std::uint16_t> halves_;
};

/// Uploads numbers. Each must be NaN or representable in the format. Returns {} for a tensor
/// without axes.
DeviceNumbers upload_numbers(Device& device, FloatType type, const Tensor<float>& from);
/// Downloads the numbers as float, without rounding.
/// Requires  the type is not float64
Tensor<float> download_numbers(const DeviceNumbers& from);
/// Downloads the numbers as double, without rounding.
Tensor<double> download_doubles(const DeviceNumbers& from);

}  // namespace normproof::gpu::norm
