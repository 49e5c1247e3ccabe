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

/// A tensor of float64, float32, bfloat16 or float16 in a device's memory, as that format stores
/// it. {} is absent.
class DeviceNumbers {
 public:
  DeviceNumbers() = default;
  /// Elements are not set. The type is one of the four.
  DeviceNumbers(Device& device, FloatType type, const Shape& shape);

  FloatType type() const { return type_; }
  const Shape& shape() const;
  bool is_given() const;
  Device& device() const;

  /// The memory as elements of a kernel's format, double, float or std::uint16_t, which the type
  /// decides.
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

/// {} of a tensor without axes. Each number is one of the format, or NaN.
DeviceNumbers upload_numbers(Device& device, FloatType type, const Tensor<float>& from);
/// The numbers, each exactly.
/// Requires  the type is not float64
Tensor<float> download_numbers(const DeviceNumbers& from);
/// The same of all four.
Tensor<double> download_doubles(const DeviceNumbers& from);

}  // namespace normproof::gpu::norm
