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

/// A tensor of float32, bfloat16 or float16 in a device's memory, as that format stores it. {} is
/// absent.
class DeviceNumbers {
 public:
  DeviceNumbers() = default;
  /// Elements are not set. The type is one of the three.
  DeviceNumbers(Device& device, FloatType type, const Shape& shape);

  FloatType type() const { return type_; }
  const Shape& shape() const { return is_float32() ? floats_.shape() : halves_.shape(); }
  bool is_given() const { return is_float32() ? floats_.is_given() : halves_.is_given(); }
  Device& device() const { return is_float32() ? floats_.device() : halves_.device(); }

  /// The memory as elements of a kernel's format, float or std::uint16_t, which the type decides.
  template <class Element>
  auto& as() {
    if constexpr (std::is_same_v<Element, float>)
      return floats_;
    else
      return halves_;
  }
  template <class Element>
  const auto& as() const {
    return const_cast<DeviceNumbers*>(this)->as<Element>();
  }

 private:
  bool is_float32() const { return type_ == FloatType::float32; }

  FloatType type_ = FloatType::float32;
  DeviceTensor<float> floats_;
  DeviceTensor<std::uint16_t> halves_;
};

/// {} of a tensor without axes. Each number is one of the format, or NaN.
DeviceNumbers upload_numbers(Device& device, FloatType type, const Tensor<float>& from);
/// The numbers, each exactly.
Tensor<float> download_numbers(const DeviceNumbers& from);

}  // namespace normproof::gpu::norm
