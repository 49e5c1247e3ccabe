#include "gpu/norm/device_numbers.hpp"

#include "ref/numeric/float_bits.hpp"

namespace normproof::gpu::norm {

using ref::numeric::FloatFormat;
using ref::numeric::format_of;

DeviceNumbers::DeviceNumbers(Device& device, FloatType type, const Shape& shape) : type_(type) {
  if (is_float32())
    floats_ = DeviceTensor<float>(device, shape);
  else
    halves_ = DeviceTensor<std::uint16_t>(device, shape);
}

DeviceNumbers upload_numbers(Device& device, FloatType type, const Tensor<float>& from) {
  if (from.dimension() == 0) return {};
  DeviceNumbers result(device, type, ref::tensor::shape_of(from));
  if (!result.is_given()) return result;
  if (type == FloatType::float32) {
    result.as<float>().upload(from.data());
    return result;
  }
  const FloatFormat& format = format_of(type);
  std::vector<std::uint16_t> bits(from.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<std::uint16_t>(encode(format, static_cast<double>(from.data()[i])));
  result.as<std::uint16_t>().upload(bits.data());
  return result;
}

Tensor<float> download_numbers(const DeviceNumbers& from) {
  Tensor<float> result = ref::tensor::empty_tensor<float>(from.shape());
  if (!from.is_given()) return result;
  if (from.type() == FloatType::float32) return device::download(from.as<float>());
  const FloatFormat& format = format_of(from.type());
  const Tensor<std::uint16_t> bits = device::download(from.as<std::uint16_t>());
  for (std::size_t i = 0; i < bits.size(); ++i)
    result.data()[i] = static_cast<float>(ref::numeric::decode(format, bits.data()[i]));
  return result;
}

}  // namespace normproof::gpu::norm
