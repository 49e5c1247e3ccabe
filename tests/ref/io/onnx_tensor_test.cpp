#include "ref/io/onnx_tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

std::vector<int> encode_to_integers(const StoredTensor& tensor) {
  std::vector<int> bytes;
  for (const std::byte b : encode_onnx_tensor(tensor)) bytes.push_back(std::to_integer<int>(b));
  return bytes;
}

// Each field starts with a byte for its number and wire type. A number follows, or a length and
// bytes.
TEST(OnnxTensor, WritesFieldsInTheOrderOfTheirFieldNumbers) {
  const std::vector<double> values = {1, -2};
  const std::vector<int> expected = {0x08, 2, 0x08, 1,  // dims: 2, 1
                                     0x10, 1,           // data_type: FLOAT
                                     0x42, 1, 'x',      // name
                                     0x4a, 8, 0,    0, 0x80,
                                     0x3f, 0, 0,    0, 0xc0};  // raw_data: 1, -2
  EXPECT_EQ(encode_to_integers(make_tensor("x", DType::float32, {2, 1}, values)), expected);
}

TEST(OnnxTensor, WritesLargeIntegersAsVarints) {
  const std::vector<double> values(300, 0);
  const auto bytes = encode_to_integers(make_tensor("n", DType::boolean, {300}, values));
  EXPECT_EQ(std::vector<int>(bytes.begin(), bytes.begin() + 5),
            (std::vector<int>{0x08, 0xac, 0x02, 0x10, 9}));
  EXPECT_EQ(bytes.size(), 3u + 2 + 3 + 3 + 300);
}

TEST(OnnxTensor, SupportsEveryDType) {
  const std::vector<double> values = {1};
  const std::pair<DType, int> types[] = {
      {DType::float32, 1},  {DType::uint8, 2},     {DType::int32, 6},
      {DType::int64, 7},    {DType::boolean, 9},   {DType::float16, 10},
      {DType::float64, 11}, {DType::bfloat16, 16}, {DType::float4_e2m1fn, 23}};
  for (const auto& [dtype, number] : types)
    EXPECT_EQ(encode_to_integers(make_tensor("t", dtype, {}, values)).at(1), number)
        << to_string(dtype);
}

TEST(OnnxTensor, PacksTwoElementsOf4BitsIntoAByte) {
  const std::vector<double> values = {0.5, 1, 6};
  const auto bytes = encode_to_integers(make_tensor("t", DType::float4_e2m1fn, {3}, values));
  EXPECT_EQ(std::vector<int>(bytes.end() - 3, bytes.end()), (std::vector<int>{2, 0x21, 0x07}));
}

TEST(OnnxTensor, RejectsInvalidTensors) {
  StoredTensor tensor{"x", DType::float32, {2}, std::vector<std::byte>(7)};
  EXPECT_THROW(encode_onnx_tensor(tensor), numeric::ContractError);
  tensor = {"", DType::float32, {2}, std::vector<std::byte>(8)};
  EXPECT_THROW(encode_onnx_tensor(tensor), numeric::ContractError);
}

}  // namespace
}  // namespace normproof::ref::io
