#include "ref/io/stored_tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
// gtest/gtest.h must be included first.
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Shape = std::vector<std::size_t>;

template <typename Item>
StoredTensor make_test_tensor(DType dtype, const std::vector<Item>& items) {
  StoredTensor tensor{"t", dtype, {items.size()}, {}};
  const auto bytes = std::as_bytes(std::span(items));
  tensor.bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

template <typename Item>
std::vector<std::uint64_t> widened_bits(DType dtype, const std::vector<Item>& items) {
  std::vector<std::uint64_t> bits;
  for (const double value : widen(make_test_tensor(dtype, items))) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

/// Decodes a finite floating-point number directly by the definition of its format, with the exact
/// function ldexp. With sign s, fraction f and exponent e, the value is `(-1)^s * 0.f * 2^(1 -
/// bias)` if e is 0, else `(-1)^s * 1.f * 2^(e - bias)`.
double decode_by_definition(unsigned bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const bool is_negative = (bits >> (exponent_bits + fraction_bits)) != 0;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                    : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return is_negative ? -magnitude : magnitude;
}

void expect_exact_widening_of_16_bit_values(DType dtype, int exponent_bits, int fraction_bits) {
  std::vector<std::uint16_t> items(1 << 16);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint16_t>(i);
  const std::vector<std::uint64_t> bits = widened_bits(dtype, items);
  ASSERT_EQ(bits.size(), items.size());
  const unsigned max_exponent = (1U << exponent_bits) - 1;
  const unsigned fraction_mask = (1U << fraction_bits) - 1;
  for (unsigned i = 0; i < items.size(); ++i) {
    std::uint64_t expected = 0;
    if (((i >> fraction_bits) & max_exponent) == max_exponent) {  // infinity or NaN
      expected = std::uint64_t{i >> 15} << 63 | std::uint64_t{0x7ff} << 52 |
                 std::uint64_t{i & fraction_mask} << (52 - fraction_bits);
    } else {
      expected =
          std::bit_cast<std::uint64_t>(decode_by_definition(i, exponent_bits, fraction_bits));
    }
    ASSERT_EQ(bits[i], expected) << "bits " << std::hex << i;
  }
}

TEST(Widen, IsExactForEveryFloat16) {
  expect_exact_widening_of_16_bit_values(DType::float16, 5, 10);
}
TEST(Widen, IsExactForEveryBfloat16) {
  expect_exact_widening_of_16_bit_values(DType::bfloat16, 8, 7);
}

TEST(Widen, MatchesKnownFloat16Examples) {
  EXPECT_THAT(widen(make_test_tensor<std::uint16_t>(
                  DType::float16, {0x3c00, 0xc000, 0x7bff, 0x0400, 0x03ff, 0x0001, 0x3555})),
              ElementsAre(1.0, -2.0, 65504.0, 0x1p-14, 0x1.ff8p-15, 0x1p-24, 0x1.554p-2));
}

TEST(Widen, KeepsZerosSubnormalsInfinitiesAndNansOfFloat32) {
  EXPECT_THAT(widened_bits<std::uint32_t>(
                  DType::float32, {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
                                   0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xff800001}),
              ElementsAre(0x0000000000000000, 0x8000000000000000, 0x36a0000000000000,
                          0xb80fffffc0000000, 0x3810000000000000, 0x47efffffe0000000,
                          0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                          0xfff0000020000000));  // the last one is a signaling NaN and stays one
}

RC_GTEST_PROP(Widen, AgreesWithTheFloatToDoubleConversionOfTheProcessor, ()) {
  const auto bits = *rc::gen::oneOf(rc::gen::arbitrary<std::uint32_t>(),
                                    rc::gen::inRange<std::uint32_t>(0, 0x00800000));
  const auto value = std::bit_cast<float>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(widened_bits<std::uint32_t>(DType::float32, {bits}).front() ==
            std::bit_cast<std::uint64_t>(static_cast<double>(value)));
}

RC_GTEST_PROP(Widen, KeepsEveryBitOfFloat64, (std::uint64_t bits)) {
  RC_ASSERT(widened_bits<std::uint64_t>(DType::float64, {bits}).front() == bits);
}

TEST(Widen, ConvertsIntegersAndBooleans) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 53;
  EXPECT_THAT(widen(make_test_tensor<std::int64_t>(DType::int64, {0, -1, kLimit, -kLimit})),
              ElementsAre(0.0, -1.0, 0x1p53, -0x1p53));
  constexpr auto kInt32Min = std::numeric_limits<std::int32_t>::min();
  EXPECT_THAT(widen(make_test_tensor<std::int32_t>(DType::int32, {7, kInt32Min})),
              ElementsAre(7.0, -0x1p31));
  EXPECT_THAT(widen(make_test_tensor<std::uint8_t>(DType::uint8, {0, 255})),
              ElementsAre(0.0, 255.0));
  EXPECT_THAT(widen(make_test_tensor<std::uint8_t>(DType::boolean, {1, 0})), ElementsAre(1.0, 0.0));
}

/// Returns the message of the contract violation that f throws. The clause at the end of the
/// message, such as "(C1)", is left out.
template <class F>
std::string violation_message(F&& f) {
  return sentence(numeric::contract_violation(f));
}

std::string widen_rejection_message(const StoredTensor& tensor) {
  return violation_message([&] { widen(tensor); });
}

TEST(Widen, C1_RejectsALengthThatDoesNotMatchTheShape) {
  EXPECT_EQ(widen_rejection_message({"t", DType::float32, {2, 2}, std::vector<std::byte>(12)}),
            "widen: tensor 't' holds 12 bytes; expected 16 bytes for float32 of the shape [2, 2]");
}

TEST(Widen, C2_RejectsInt64BeyondTwoToThe53) {
  constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;
  const auto rejection_message = [](std::int64_t value) {
    return widen_rejection_message(make_test_tensor<std::int64_t>(DType::int64, {1, value}));
  };
  EXPECT_EQ(rejection_message(kMaxExactInteger + 1),
            "widen: tensor 't' has the int64 9007199254740993 at element 1; expected a magnitude "
            "of at most 2^53, which a double holds exactly");
  for (const std::int64_t value : {-kMaxExactInteger - 1, std::numeric_limits<std::int64_t>::min()})
    EXPECT_THAT(rejection_message(value), HasSubstr(std::to_string(value)));
}

TEST(Widen, C3_RejectsABooleanOtherThanZeroOrOne) {
  EXPECT_EQ(widen_rejection_message(make_test_tensor<std::uint8_t>(DType::boolean, {0, 1, 2})),
            "widen: tensor 't' has the byte 2 at element 2; expected 0 or 1 in a boolean");
}

TEST(Widen, AcceptsScalarsAndEmptyTensors) {
  EXPECT_THAT(widen(make_tensor("t", {}, std::array{2.5})), ElementsAre(2.5));
  EXPECT_THAT(widen(make_tensor("t", {3, 0}, std::span<const double>())), ElementsAre());
}

TEST(MakeTensor, StoresTheElementsLittleEndian) {
  const StoredTensor tensor = make_tensor("n", {2}, std::array<std::int64_t, 2>{258, -1});
  EXPECT_EQ(tensor.dtype, DType::int64);
  EXPECT_EQ(tensor.bytes[0], std::byte{2});
  EXPECT_EQ(tensor.bytes[1], std::byte{1});
  EXPECT_EQ(tensor.bytes[15], std::byte{0xff});
  EXPECT_EQ(make_tensor("x", {1, 1}, std::array{1.0}).bytes[7], std::byte{0x3f});
}

TEST(MakeTensor, C1_RejectsAWrongNumberOfValues) {
  EXPECT_EQ(violation_message([] {
              make_tensor("t", {3}, std::array{1.0, 2.0});
            }),
            "make_tensor: tensor 't' holds 16 bytes; expected 24 bytes for float64 of the shape "
            "[3]");
  EXPECT_NE(violation_message([] { make_tensor("t", {0}, std::array{1.0}); }), "no error");
  for (const DType dtype : {DType::float32, DType::boolean})
    EXPECT_NE(violation_message([&] {
                make_tensor("t", dtype, {3}, std::array{1.0, 0.0});
              }),
              "no error");
}

TEST(MakeTensor, C2_RejectsAValueThatTheDTypeCannotRepresent) {
  EXPECT_EQ(violation_message([] {
              make_tensor("t", DType::float16, {2}, std::array{1.0, 0.1});
            }),
            "make_tensor: tensor 't' has 0.1 at element 1; expected a value that float16 holds");
}

TEST(ByteSize, IsTheProductOfExtentsTimesItemSize) {
  EXPECT_EQ(byte_size(DType::float64, Shape{}), 8U);
  EXPECT_EQ(byte_size(DType::float16, Shape{3, 5}), 30U);
  EXPECT_EQ(byte_size(DType::uint8, Shape{3, 0, 5}), 0U);
}

TEST(ByteSize, ReturnsNulloptIfTheSizeOverflows) {
  constexpr std::size_t kTwoTo60 = std::size_t{1} << 60;
  EXPECT_EQ(byte_size(DType::int32, Shape{kTwoTo60}), std::size_t{1} << 62);
  EXPECT_EQ(byte_size(DType::float64, Shape{kTwoTo60}), std::nullopt);
  EXPECT_EQ(byte_size(DType::float64, Shape{kTwoTo60, 2, 8}), std::nullopt);
  EXPECT_EQ(byte_size(DType::uint8, Shape{std::size_t{1} << 32, std::size_t{1} << 32}),
            std::nullopt);
  EXPECT_EQ(byte_size(DType::uint8, Shape{0, kTwoTo60, 8}), std::nullopt);
}

TEST(SortedByName, OrdersNamesByBytes) {
  const std::vector<StoredTensor> tensors{
      make_tensor("\xc3\xa9", {}, std::array{1.0}), make_tensor("b", {}, std::array{2.0}),
      make_tensor("B", {}, std::array{3.0}), make_tensor("b/a", {}, std::array{4.0})};
  EXPECT_THAT(sorted_by_name("f", tensors),
              ElementsAre(&tensors[2], &tensors[1], &tensors[3], &tensors[0]));
}

std::string sort_rejection_message(const std::vector<StoredTensor>& tensors) {
  return violation_message([&] { sorted_by_name("f", tensors); });
}

TEST(PackHalves, TwoElementsOf4BitsFillAByteTheFirstInTheLowerHalf) {
  const std::vector elements{std::byte{1}, std::byte{2}, std::byte{15}};
  const std::vector packed{std::byte{0x21}, std::byte{0x0f}};
  EXPECT_EQ(pack_halves(elements), packed);
  EXPECT_EQ(unpack_halves(packed, 3), elements);
}

TEST(UnpackHalves, C1_RejectsANumberOfBytesThatDoesNotFitTheElements) {
  const std::vector packed{std::byte{0x21}, std::byte{0x0f}};
  EXPECT_NO_THROW(unpack_halves(packed, 4));
  for (const std::size_t count : {1u, 2u, 5u, 6u})
    EXPECT_THAT(numeric::contract_message([&] { unpack_halves(packed, count); }),
                HasSubstr("bytes has 2 bytes; expected " + std::to_string((count + 1) / 2)));
}

TEST(SortedByName, C1_RejectsNamesThatNoFileFormatCanStore) {
  for (const std::string& name :
       {std::string(), std::string("a\0b", 3), std::string("\xff"), std::string("\xc3")})
    EXPECT_EQ(sort_rejection_message(
                  {make_tensor("a", {}, std::array{1.0}), make_tensor(name, {}, std::array{1.0})}),
              "f: tensor 1 has a name that is empty or not text; expected UTF-8 without NUL");
}

TEST(SortedByName, C1_RejectsDuplicateNames) {
  EXPECT_EQ(
      sort_rejection_message(std::vector<StoredTensor>(2, make_tensor("a", {}, std::array{1.0}))),
      "f: tensor 'a' occurs twice; expected every name once");
}

TEST(SortedByName, C2_RejectsALengthThatDoesNotMatchTheShape) {
  EXPECT_EQ(sort_rejection_message({{"a", DType::float64, {2}, {}}}),
            "f: tensor 'a' holds 0 bytes; expected 16 bytes for float64 of the shape [2]");
}

TEST(SortedByName, C3_RejectsABooleanOtherThanZeroOrOne) {
  EXPECT_EQ(sort_rejection_message({{"a", DType::boolean, {1}, {std::byte{7}}}}),
            "f: tensor 'a' has the byte 7 at element 0; expected 0 or 1 in a boolean");
}

TEST(DType, HasTheExpectedNamesAndSizes) {
  constexpr std::array kAllDTypes{DType::float64, DType::float32, DType::float16, DType::bfloat16,
                                  DType::int64,   DType::int32,   DType::uint8,   DType::boolean};
  std::vector<std::string> shown;
  for (const DType dtype : kAllDTypes) {
    shown.push_back(std::string(to_string(dtype)) + " " + std::to_string(item_size(dtype)));
  }
  EXPECT_THAT(shown, ElementsAre("float64 8", "float32 4", "float16 2", "bfloat16 2", "int64 8",
                                 "int32 4", "uint8 1", "boolean 1"));
}

}  // namespace
}  // namespace normproof::ref::io
