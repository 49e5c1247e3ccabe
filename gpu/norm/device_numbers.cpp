#include "gpu/norm/device_numbers.hpp"

#include "ref/numeric/float_bits.hpp"

namespace normproof::gpu::norm {

using ref::numeric::float_format_info;
using ref::numeric::FloatFormat;

namespace {

/// Calls read(tensor) with the tensor that holds the numbers. Its element type is double, float or
/// std::uint16_t, depending on the type of the numbers.
template <class Numbers, class Read>
decltype(auto) read_tensor(Numbers& numbers, const Read& read) {
  if (numbers.type() == FloatType::float64) return read(numbers.template as<double>());
  if (numbers.type() == FloatType::float32) return read(numbers.template as<float>());
  return read(numbers.template as<std::uint16_t>());
}

}  // namespace

DeviceNumbers::DeviceNumbers(Device& device, FloatType type, const Shape& shape) : type_(type) {
  read_tensor(*this, [&]<class T>(DeviceTensor<T>& own) { own = DeviceTensor<T>(device, shape); });
}
const Shape& DeviceNumbers::shape() const {
  return read_tensor(*this, [](const auto& own) -> const Shape& { return own.shape(); });
}
bool DeviceNumbers::is_given() const {
  return read_tensor(*this, [](const auto& own) { return own.is_given(); });
}
Device& DeviceNumbers::device() const {
  return read_tensor(*this, [](const auto& own) -> Device& { return own.device(); });
}

DeviceNumbers upload_numbers(Device& device, FloatType type, const Tensor<float>& from) {
  if (from.dimension() == 0) return {};
  DeviceNumbers result(device, type, ref::tensor::shape_of(from));
  if (!result.is_given()) return result;
  if (type == FloatType::float32) {
    result.as<float>().upload(from.data());
    return result;
  }
  if (type == FloatType::float64) {
    result.as<double>().upload(ref::tensor::convert<double>(from).data());
    return result;
  }
  const FloatFormat& format = float_format_info(type);
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
  const FloatFormat& format = float_format_info(from.type());
  const Tensor<std::uint16_t> bits = device::download(from.as<std::uint16_t>());
  for (std::size_t i = 0; i < bits.size(); ++i)
    result.data()[i] = static_cast<float>(ref::numeric::decode(format, bits.data()[i]));
  return result;
}

Tensor<double> download_doubles(const DeviceNumbers& from) {
  if (from.type() != FloatType::float64)
    return ref::tensor::convert<double>(download_numbers(from));
  if (!from.is_given()) return ref::tensor::empty_tensor<double>(from.shape());
  return device::download(from.as<double>());
}

}  // namespace normproof::gpu::norm
