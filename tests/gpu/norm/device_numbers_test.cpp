#include "gpu/norm/device_numbers.hpp"

#include <gtest/gtest.h>

namespace normproof::gpu::norm {
namespace {

TEST(DeviceNumbers, StoresEachNumberWithTheBitsOfItsFormat) {
  const auto device = device::simulated_device();
  const Tensor<float> x = {1.0F, -0.0F, 0x1p-24F, -65504.0F};
  const DeviceNumbers half = upload_numbers(*device, FloatType::float16, x);
  EXPECT_EQ(half.shape(), (Shape{4}));
  EXPECT_EQ(half.type(), FloatType::float16);
  EXPECT_EQ(device::download(half.as<std::uint16_t>()),
            (Tensor<std::uint16_t>{0x3c00, 0x8000, 0x0001, 0xfbff}));
  EXPECT_EQ(download_numbers(half), x);
  EXPECT_TRUE(std::signbit(download_numbers(half).data()[1]));
}

TEST(DeviceNumbers, DownloadsAnyFormatAsDoubles) {
  const auto device = device::simulated_device();
  DeviceNumbers wide(*device, FloatType::float64, {2});
  const double values[] = {1 + 0x1p-50, -0x1p-1074};
  wide.as<double>().upload(values);
  EXPECT_EQ(download_doubles(wide), (Tensor<double>{1 + 0x1p-50, -0x1p-1074}));
  const Tensor<float> x = {1.5F, -2.0F};
  EXPECT_EQ(download_doubles(upload_numbers(*device, FloatType::bfloat16, x)),
            (Tensor<double>{1.5, -2.0}));
  EXPECT_EQ(download_doubles(upload_numbers(*device, FloatType::float64, x)),
            (Tensor<double>{1.5, -2.0}));
}

TEST(DeviceNumbers, EmptyTensorKeepsItsShape) {
  const auto device = device::simulated_device();
  const DeviceNumbers none =
      upload_numbers(*device, FloatType::bfloat16, ref::tensor::empty_tensor<float>({0, 3}));
  EXPECT_EQ(none.shape(), (Shape{0, 3}));
  EXPECT_FALSE(none.is_given());
  EXPECT_EQ(ref::tensor::shape_of(download_numbers(none)), (Shape{0, 3}));
  EXPECT_TRUE(upload_numbers(*device, FloatType::bfloat16, {}).shape().empty());
}

}  // namespace
}  // namespace normproof::gpu::norm
