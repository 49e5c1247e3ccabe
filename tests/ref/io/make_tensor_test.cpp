#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/errors.hpp"

// Tests of make_tensor with a dtype argument.
namespace normproof::ref::io {
namespace {

using numeric::ContractError;

template <typename Item>
StoredTensor make_stored_tensor(DType dtype, const std::vector<Item>& items) {
  StoredTensor tensor{"t", dtype, {items.size()}, {}};
  const auto bytes = std::as_bytes(std::span(items));
  tensor.bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

TEST(MakeTensorWithDType, IsTheInverseOfWidenForEveryFinite16BitValue) {
  for (const auto& [dtype, find_first_not_finite] :
       {std::pair(DType::float16, 0x7c00), std::pair(DType::bfloat16, 0x7f80)}) {
    std::vector<std::uint16_t> items;
    for (int magnitude = 0; magnitude < find_first_not_finite; ++magnitude)
      for (const int sign : {0, 0x8000})
        items.push_back(static_cast<std::uint16_t>(magnitude | sign));
    const StoredTensor tensor = make_stored_tensor(dtype, items);
    EXPECT_EQ(make_tensor("t", dtype, tensor.shape, widen(tensor)), tensor);
  }
}

TEST(MakeTensorWithDType, IsTheInverseOfWidenForEveryByteOf8BitFormats) {
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  for (const DType dtype :
       {DType::float8_e4m3fn, DType::float8_e5m2, DType::float8_e8m0fnu, DType::int8}) {
    const StoredTensor tensor = make_stored_tensor(dtype, bytes);
    EXPECT_EQ(make_tensor("t", dtype, tensor.shape, widen(tensor)), tensor) << to_string(dtype);
  }
}

TEST(MakeTensorWithDType, E2m1StoresItsNumbersInTheLowerHalfOfAByteAndNoNaN) {
  const StoredTensor tensor =
      make_tensor("t", DType::float4_e2m1fn, {4}, std::array{0.5, -0.0, 6.0, -1.5});
  EXPECT_EQ(tensor.bytes, (std::vector{std::byte{1}, std::byte{8}, std::byte{7}, std::byte{11}}));
  EXPECT_EQ(make_tensor("t", DType::float4_e2m1fn, {4}, widen(tensor)), tensor);
  for (const double v : {0.25, 5.0, 8.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(make_tensor("t", DType::float4_e2m1fn, {1}, std::array{v}), ContractError) << v;
  EXPECT_THROW(widen({"t", DType::float4_e2m1fn, {1}, {std::byte{16}}}), ContractError);
}

TEST(MakeTensorWithDType, E8m0StoresOnlyPowersOfTwo) {
  const StoredTensor tensor =
      make_stored_tensor<std::uint8_t>(DType::float8_e8m0fnu, {0, 1, 127, 128, 254});
  EXPECT_EQ(widen(tensor), (std::vector{0x1p-127, 0x1p-126, 1.0, 2.0, 0x1p127}));
  EXPECT_TRUE(std::isnan(widen(make_stored_tensor<std::uint8_t>(DType::float8_e8m0fnu, {255}))[0]));
  for (const double v : {0.0, 3.0, -1.0, 0x1p-128, 0x1p128})
    EXPECT_THROW(make_tensor("t", DType::float8_e8m0fnu, {1}, std::array{v}), ContractError) << v;
}

TEST(MakeTensorWithDType, Int8StoresTheIntegersOfItsRangeAndNoNaN) {
  EXPECT_EQ(widen(make_tensor("t", DType::int8, {3}, std::array{-128.0, -0.0, 127.0})),
            (std::vector{-128.0, 0.0, 127.0}));
  for (const double v : {0.5, 128.0, -129.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(make_tensor("t", DType::int8, {1}, std::array{v}), ContractError) << v;
}

TEST(MakeTensorWithDType, IsTheInverseOfWidenForEveryKindOfFloat32) {
  const std::vector<std::uint32_t> items = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00400000,
      0x00800000, 0x3f800000, 0x3f800001, 0xbdcccccd, 0x7f7fffff, 0xff7fffff,
      0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00001};
  const StoredTensor tensor = make_stored_tensor(DType::float32, items);
  EXPECT_EQ(make_tensor("t", DType::float32, tensor.shape, widen(tensor)), tensor);
}

TEST(MakeTensorWithDType, IsTheInverseOfWidenForIntegersOfEveryDType) {
  const StoredTensor small = make_stored_tensor<std::uint8_t>(DType::uint8, {0, 1, 255});
  const StoredTensor masks = make_stored_tensor<std::uint8_t>(DType::boolean, {0, 1});
  const StoredTensor wide = make_stored_tensor<std::int32_t>(
      DType::int32, {0, -1, std::numeric_limits<std::int32_t>::min(), 0x7fffffff});
  const StoredTensor widest = make_stored_tensor<std::int64_t>(
      DType::int64, {-7, std::int64_t{1} << 53, -(std::int64_t{1} << 53)});
  for (const StoredTensor& tensor : {small, masks, wide, widest})
    EXPECT_EQ(make_tensor("t", tensor.dtype, tensor.shape, widen(tensor)), tensor);
  EXPECT_EQ(make_tensor("t", DType::int32, {1}, std::array{-0.0}).bytes[3], std::byte{0});
}

TEST(MakeTensorWithDType, RejectsValuesThatTheDTypeCannotRepresent) {
  const auto is_rejected = [](DType dtype, double value) {
    EXPECT_THROW(make_tensor("t", dtype, {1}, std::array{value}), ContractError)
        << to_string(dtype) << " " << value;
  };
  for (const double value :
       {0.1, 1 + 0x1p-24, 0x1p128, 0x1.ffffffp127, 0x1p-150, 0x1.8p-149, 1e300, 0x1p-1074})
    is_rejected(DType::float32, value);
  for (const double value :
       {0.1, 65505.0, 65520.0, 0x1p16, 2049.0, 0x1p-25, 0x1.8p-24, 0x1.ffcp-15})
    is_rejected(DType::float16, value);
  for (const double value : {0.1, 257.0, 0x1p128, 0x1.ffp127, 0x1p-134, 0x1.8p-133})
    is_rejected(DType::bfloat16, value);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::int64, DType::int32, DType::uint8, DType::boolean})
    for (const double value : {0.5, -1e-300, 1e19, -1e19, nan, infinity, -infinity})
      is_rejected(dtype, value);
  is_rejected(DType::int64, 0x1p63);
  is_rejected(DType::int32, 0x1p31);
  is_rejected(DType::int32, -0x1p31 - 1);
  is_rejected(DType::uint8, 256);
  is_rejected(DType::uint8, -1);
  is_rejected(DType::boolean, 2);
  is_rejected(DType::boolean, -1);
  // A NaN is rejected if the format cannot represent its payload.
  is_rejected(DType::float16, std::bit_cast<double>(0x7ff8000000000001));
}

}  // namespace
}  // namespace normproof::ref::io
