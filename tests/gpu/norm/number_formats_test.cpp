#include "gpu/norm/number_formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gpu/device/errors.hpp"
#include "ref/numeric/float_bits.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::numeric::float_format_info;
using ref::numeric::FloatFormat;

template <class Format>
std::uint16_t nearest_bits(float v) {
  const FloatFormat& format = float_format_info(Format::kType);
  return static_cast<std::uint16_t>(encode(format, round_to(format, static_cast<double>(v))));
}

/// Returns 1 if Format::narrow(v) differs from the bits that ref/numeric computes, else 0. If v is
/// NaN, any NaN is correct.
template <class Format>
int rounds_wrongly(float v) {
  if (std::isnan(v)) return std::isnan(Format::widen(Format::narrow(v))) ? 0 : 1;
  return Format::narrow(v) == nearest_bits<Format>(v) ? 0 : 1;
}

template <class Format>
void expect_correct_numbers_and_ties() {
  const FloatFormat& format = float_format_info(Format::kType);
  int wide = 0, narrow = 0;
  for (std::uint32_t e = 0; e < 0x10000; ++e) {
    const float v = Format::widen(static_cast<std::uint16_t>(e));
    const auto expected = static_cast<float>(ref::numeric::decode(format, e));
    if (std::isnan(expected)) {
      wide += std::isnan(v) ? 0 : 1;
    } else {
      wide += bits_from_float(v) == bits_from_float(expected) ? 0 : 1;
    }
    const float next = Format::widen(static_cast<std::uint16_t>(((e & 0x7fff) + 1) | (e & 0x8000)));
    const auto tie = static_cast<float>(0.5 * (static_cast<double>(v) + next));
    for (const float near : {v, tie, std::nextafter(tie, v), std::nextafter(tie, next)})
      narrow += rounds_wrongly<Format>(near);
  }
  EXPECT_EQ(wide, 0);
  EXPECT_EQ(narrow, 0);
}

/// Returns 1 if Format::narrow rounds the double v incorrectly, else 0. If v is NaN, any NaN is
/// correct.
template <class Format>
int rounds_double_wrongly(double v) {
  const FloatFormat& format = float_format_info(Format::kType);
  if (std::isnan(v)) return std::isnan(Format::widen(Format::narrow(v))) ? 0 : 1;
  const auto expected = static_cast<float>(round_to(format, v));
  return bits_from_float(Format::widen(Format::narrow(v))) == bits_from_float(expected) ? 0 : 1;
}

/// Tests doubles next to a tie, the midpoint of two numbers of the format. If such a double were
/// rounded to float first, it would become the tie and then round to even, although the double
/// itself is not a tie.
template <class Format>
void expect_correct_doubles_next_to_ties() {
  int count = 0;
  for (std::uint32_t e = 0; e < 0x7fff; ++e) {
    const double v = Format::widen(static_cast<std::uint16_t>(e));
    const double next = Format::widen(static_cast<std::uint16_t>(e + 1));
    const double tie = 0.5 * (v + next);
    for (const double near : {v, tie, std::nextafter(tie, 0.0), std::nextafter(tie, 2 * next)})
      count += rounds_double_wrongly<Format>(near) + rounds_double_wrongly<Format>(-near);
  }
  EXPECT_EQ(count, 0);
}

template <class Format>
void expect_correct_random_doubles() {
  const ref::numeric::RandomStream random(3, "doubles");
  int count = 0;
  for (std::uint64_t i = 0; i < 1 << 16; ++i) {
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(i, 340)) - 180);
    count += rounds_double_wrongly<Format>(random.normal(i) * scale);
  }
  for (const double v : {0x1p-1074, 1.7e308, HUGE_VAL, -0.0, 0x1p-150, 0x1.fffffffp127})
    count += rounds_double_wrongly<Format>(v) + rounds_double_wrongly<Format>(-v);
  count += rounds_double_wrongly<Format>(std::nan(""));
  EXPECT_EQ(count, 0);
}

template <class Format>
void expect_correct_random_floats() {
  const ref::numeric::RandomStream random(3, "bits");
  int count = 0;
  for (std::uint64_t i = 0; i < 1 << 18; ++i)
    count += rounds_wrongly<Format>(
        float_from_bits(static_cast<std::uint32_t>(random.below(i, 1ull << 32))));
  EXPECT_EQ(count, 0);
}

TEST(NumberFormats, RoundsEveryNumberAndEveryTieLikeTheReference) {
  expect_correct_numbers_and_ties<BFloat16>();
  expect_correct_numbers_and_ties<Float16>();
}

TEST(NumberFormats, RoundsFloatsToNearest) {
  expect_correct_random_floats<BFloat16>();
  expect_correct_random_floats<Float16>();
  EXPECT_EQ(Float16::narrow(65519.996F), 0x7bff);
  EXPECT_EQ(Float16::narrow(65520.0F), 0x7c00);
  EXPECT_EQ(Float16::narrow(-0x1p-25F), 0x8000);
  EXPECT_EQ(BFloat16::narrow(3.4e38F), 0x7f80);
}

TEST(NumberFormats, RoundsDoublesInOneStepNotThroughFloat) {
  expect_correct_doubles_next_to_ties<BFloat16>();
  expect_correct_doubles_next_to_ties<Float16>();
  expect_correct_random_doubles<BFloat16>();
  expect_correct_random_doubles<Float16>();
  expect_correct_random_doubles<Float32>();
  EXPECT_EQ(BFloat16::narrow(1 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(BFloat16::narrow(static_cast<float>(1 + 0x1p-8 + 0x1p-40)), 0x3f80);
}

TEST(NumberFormats, VectorAccessChecksTheBoundsOfEveryElement) {
  alignas(16) std::uint16_t memory[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const device::Span<std::uint16_t> all(memory, 16), short_one(memory, 15);
  const auto v = load_vector(device::Span<const std::uint16_t>(all), 8);
  EXPECT_EQ(v.element[0], 8);
  EXPECT_EQ(v.element[7], 15);
  store_vector(all, 0, v);
  EXPECT_EQ(memory[7], 15);
  EXPECT_EQ(memory[8], 8);
  EXPECT_THROW(load_vector(device::Span<const std::uint16_t>(short_one), 8), device::DeviceError);
  EXPECT_THROW(store_vector(short_one, 8, v), device::DeviceError);
}

}  // namespace
}  // namespace normproof::gpu::norm
