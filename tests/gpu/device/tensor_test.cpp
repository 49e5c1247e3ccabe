#include "gpu/device/tensor.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::gpu::device {
namespace {

TEST(DeviceTensor, DownloadReturnsTheUploadedValues) {
  const auto device = simulated_device();
  const Tensor<double> host = {{1, 2, 3}, {4, 5, 6}};
  const auto there = upload(*device, host);
  EXPECT_EQ(there.shape(), (Shape{2, 3}));
  EXPECT_EQ(download(there), host);
  EXPECT_EQ(download(there.reshaped({6})).shape(0), 6u);
  EXPECT_FALSE(upload(*device, Tensor<double>{}).is_given());
  EXPECT_FALSE(DeviceTensor<double>(*device, {0, 3}).is_given());
}

TEST(DeviceTensor, NamedTensorsKeepInsertionOrder) {
  const auto device = simulated_device();
  NamedDeviceTensors named;
  named.set("b", full_tensor(*device, {1}, 2));
  named.set("a", full_tensor(*device, {1}, 1));
  named.set("b", full_tensor(*device, {1}, 3));
  EXPECT_EQ(named.begin()->first, "b");
  EXPECT_EQ(download(named.at("b")), (Tensor<double>{3}));
  EXPECT_FALSE(named.get("c").is_given());
  EXPECT_EQ(ref::numeric::contract_message([&] { named.at("c"); }),
            "unknown tensor 'c'; did you mean 'b'? known: b, a");
}

}  // namespace
}  // namespace normproof::gpu::device
