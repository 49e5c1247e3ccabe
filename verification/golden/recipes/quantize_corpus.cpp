#include "verification/golden/recipes/quantize_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/float_bits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/four_bit_corpus.hpp"
#include "verification/golden/recipes/recipe.hpp"
#include "verification/golden/recipes/scaled_inputs.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::kScaledBlockSize;
using corpus::kWholeTensor;
using corpus::Tier;
using ref::numeric::FloatFormat;

namespace {

using Shape = std::vector<std::size_t>;

constexpr double kGivenScale = 0.0371;

const FloatFormat& format_of(DType dtype) {
  return ref::numeric::float_format_info(*ref::io::float_type(dtype));
}

/// Returns a short name of an 8-bit format, with which reasons begin.
std::string short_name(DType dtype) {
  return dtype == DType::float8_e4m3fn ? "e4m3" : dtype == DType::float8_e5m2 ? "e5m2" : "int8";
}

Fill fill_varying_by_block(std::size_t d_model) {
  return recipes::fill_varying_by_block(d_model, kScaledBlockSize);
}

/// Returns a fill whose magnitude doubles from row to row.
Fill fill_varying_by_row(std::size_t d_model) {
  return [=](std::size_t i, double normal) {
    return std::ldexp(normal, static_cast<int>(i / d_model) - 1);
  };
}

double twice(std::size_t, double normal) {
  return 2 * normal;
}

class QuantizeCases {
 public:
  QuantizeCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      add_given_scale_cases("float8", dtype);
      add_found_scale_cases("float8", dtype);
      add_block_case("mxfp8_random", {4, 100}, dtype);
    }
    add_cases_of_one_dtype("float8", DType::float8_e4m3fn);
    add_given_scale_cases("int8", DType::int8);
    add_found_scale_cases("int8", DType::int8);
    add_cases_of_one_dtype("int8", DType::int8);
    add_block_cases(DType::float8_e4m3fn);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add(recipe("float8_nan_in_x", {4, 6})
            .why("a NaN reaches the element of y at its index, and no other")
            .x([=](std::size_t i, double normal) { return i == 13 ? nan : normal; }),
        {.dtype = DType::float8_e4m3fn, .y = kGivenScale});
  }

  void standard() {
    for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      add_wide_cases("float8", dtype);
      add_block_case("mxfp8_wide", {3, 1027}, dtype);
    }
    add_wide_cases("int8", DType::int8);
    add_block_case("mxfp8_more_rows", {40, 64}, DType::float8_e4m3fn);
  }

 private:
  Recipe recipe(std::string reason, Shape shape, DType x = DType::float32) const {
    return {tier_, "quantize", std::move(reason), std::move(shape), x};
  }
  void add(const Recipe& recipe, const EightBitScales& scales) {
    Case c = convert_to_8_bits(recipe.make(seed_), scales);
    std::erase_if(c.inputs, [](const corpus::StoredTensor& t) { return t.name == "grad_y"; });
    cases_.push_back(std::move(c));
  }

  /// Returns a scale with which numbers up to `largest` fill three quarters of the format.
  static double scale_for(double largest, DType dtype) {
    return largest / (0.73 * format_of(dtype).largest);
  }

  /// Adds cases in which the scale of y is an input.
  void add_given_scale_cases(const std::string& prefix, DType dtype) {
    const FloatFormat& format = format_of(dtype);
    const double scale = scale_for(10, dtype);
    add(recipe(prefix + "_random", {4, 66})
            .why("one scale for all of y, as an input: forgotten, multiplied by instead of "
                 "divided, applied twice, the wrong format, truncation")
            .x(twice),
        {.dtype = dtype, .y = scale});
    add(recipe(prefix + "_saturated", {3, 33})
            .why("y beyond the range on both sides: the largest number, and no infinity or NaN")
            .x(twice),
        {.dtype = dtype, .y = scale / 12});
    const int digits = format.digits;
    const double tie_scale = ref::numeric::round_to(ref::numeric::FloatType::float32, 0.43);
    add(recipe(prefix + "_near_ties", {3, 8})
            .why("x beside a tie of the format: rounded to float16 or bfloat16 before, it is one")
            .x([=](std::size_t i, double) {
              const bool is_integer = ref::numeric::is_integer_format(format);
              const int count = is_integer ? 40 : 1 << (digits - 1);
              const int significand = count + static_cast<int>(i) % count;
              const double side = significand % 2 == 0 ? 1 : -1;
              const double tie = std::ldexp(significand + 0.5, is_integer ? 0 : 4);
              return tie_scale * tie * (1 + side * 0x1p-13);
            }),
        {.dtype = dtype, .y = tie_scale});
    add(recipe(prefix + "_ties", {4, 16})
            .why("a scale that is a power of two, and ties: to even, not away from 0 or toward it")
            .x([=](std::size_t i, double) {
              const bool is_integer = ref::numeric::is_integer_format(format);
              const int count = is_integer ? 32 : 1 << (digits - 1);
              const int significand = count + static_cast<int>(i / 2) % count;
              return (i % 2 == 0 ? 0.125 : -0.125) *
                     std::ldexp(significand + 0.5, is_integer ? 0 : static_cast<int>(i / 16) - 2);
            }),
        {.dtype = dtype, .y = 0.125});
    if (ref::numeric::is_integer_format(format)) return;
    add(recipe(prefix + "_subnormal", {3, 33})
            .why("most of y below the smallest normal number: its digits end, and 0 is not there "
                 "yet")
            .x(twice),
        {.dtype = dtype, .y = scale * format.largest / format.smallest_normal / 4});
  }

  /// Adds cases in which a kernel finds the scales.
  void add_found_scale_cases(const std::string& prefix, DType dtype) {
    add(recipe(prefix + "_row_scales", {4, 66})
            .why("a scale for each row (per token): of another row, of a part of it, from signed "
                 "numbers, off by a factor")
            .x(fill_varying_by_row(66)),
        {.dtype = dtype, .group = 66});
    add(recipe(prefix + "_group_scales", {3, 160})
            .why("a scale for each group of 64 columns: another width, one for the whole row, the "
                 "last group dropped")
            .x(fill_varying_by_block(160)),
        {.dtype = dtype, .group = 64});
    add(recipe(prefix + "_tensor_scale", {5, 34})
            .why("one scale for all of y, found by the kernel: of one row or of a part of them")
            .x(fill_varying_by_row(34)),
        {.dtype = dtype, .group = kWholeTensor});
  }

  /// Adds cases for which one 8-bit format suffices.
  void add_cases_of_one_dtype(const std::string& prefix, DType dtype) {
    for (const DType x : {DType::bfloat16, DType::float16}) {
      const std::string name = x == DType::bfloat16 ? "bfloat16" : "float16";
      add(recipe(fmt::format("{}_of_{}", prefix, name), {3, 34}, x)
              .why("x in 16 bits, a given scale: the quotient is not rounded to 16 bits")
              .x(twice),
          {.dtype = dtype, .y = scale_for(10, dtype)});
      add(recipe(fmt::format("{}_rows_of_{}", prefix, name), {4, 66}, x)
              .why("x in 16 bits, a scale for each row: neither it nor the quotient has 16 bits")
              .x(fill_varying_by_row(66)),
          {.dtype = dtype, .group = 66});
    }
    add(recipe(prefix + "_groups_of_128", {2, 256})
            .why("groups of 128 columns, as the weights of most models in 8 bits have them")
            .x(fill_varying_by_block(256)),
        {.dtype = dtype, .group = 128});
    add(recipe(prefix + "_bounded_scales", {4, 66})
            .why("an upper bound of the magnitude: the elements beyond it saturate")
            .x(fill_varying_by_row(66)),
        {.dtype = dtype, .group = 66, .upper = 1.25});
    add(recipe(prefix + "_least_scale", {4, 66})
            .why("a least scale: the elements of small rows use a part of the format")
            .x(fill_varying_by_row(66)),
        {.dtype = dtype, .group = 66, .least = 4 / format_of(dtype).largest});
    add(recipe(prefix + "_powers_of_two", {3, 160})
            .why("scales of groups that are rounded up to powers of two: not rounded, rounded "
                 "down, or elements by the scale before it")
            .x(fill_varying_by_block(160)),
        {.dtype = dtype, .group = 64, .powers_of_two = true});
    add(recipe(prefix + "_powers_of_two_rows", {4, 34})
            .why(
                "a scale of each row that is a power of two, also if M is a power of two times the "
                "largest number")
            .x([=](std::size_t i, double normal) {
              const bool is_largest = i % 34 == 5 && i / 34 % 2 == 0;
              return is_largest ? -8 * format_of(dtype).largest : normal;
            }),
        {.dtype = dtype, .group = 34, .powers_of_two = true});
    add(recipe(prefix + "_powers_of_two_least", {4, 34})
            .why("a least scale that is no power of two: it is rounded up as the others are")
            .x(fill_varying_by_row(34)),
        {.dtype = dtype,
         .group = 34,
         .least = 3 / format_of(dtype).largest,
         .powers_of_two = true});
    add(recipe(prefix + "_magnitudes", {6, 34})
            .why("rows from 2^-80 to 2^125, one with subnormal numbers: the scale has the range of "
                 "float32")
            .x([](std::size_t i, double normal) {
              const int row = static_cast<int>(i / 34);
              const double x = std::clamp(normal, -3.5, 3.5);
              if (i % 34 == 7 && row == 0) return std::ldexp(x, -135);
              return std::ldexp(x, row == 5 ? 125 : 40 * row - 80);
            }),
        {.dtype = dtype, .group = 34});
    add(recipe(prefix + "_axes", {2, 3, 7})
            .why("three axes: a scale for each row along the last one")
            .x(fill_varying_by_row(7)),
        {.dtype = dtype, .group = 7});
    add(recipe(prefix + "_single", {1, 1})
            .why("one element, which is its own largest magnitude")
            .x([](std::size_t, double) { return -1.375; }),
        {.dtype = dtype, .group = 1});
    constexpr std::size_t kGroup = 64;
    add(recipe(prefix + "_zero_group", {3, 2 * kGroup})
            .why("a group of zeros: its scale is not NaN, and none of its elements")
            .x([](std::size_t i, double normal) { return i / kGroup % 2 == 0 ? 0.0 : 2 * normal; }),
        {.dtype = dtype, .group = kGroup});
  }

  void add_block_case(std::string reason, Shape shape, DType dtype) {
    const std::size_t d_model = shape.back();
    add(recipe(std::move(reason), std::move(shape))
            .why("y in blocks of 32 with a scale each: another width or axis, a scale off by a "
                 "power of two, the last block dropped")
            .x(fill_varying_by_block(d_model)),
        {.dtype = dtype});
  }

  /// Adds cases with blocks of 32 elements whose scales are powers of two.
  void add_block_cases(DType dtype) {
    add_block_case("mxfp8_last_block", {3, 33}, dtype);
    add_block_case("mxfp8_short_row", {4, 31}, dtype);
    add(recipe("mxfp8_of_bfloat16", {3, 70}, DType::bfloat16)
            .why("x in bfloat16, and y in blocks of 32")
            .x(fill_varying_by_block(70)),
        {.dtype = dtype});
    add(recipe("mxfp8_zero_block", {3, 64})
            .why("a block of zeros: no scale of it is NaN, and none of its elements")
            .x([](std::size_t i, double normal) {
              return i % 64 / kScaledBlockSize == i / 64 % 2 ? 0.0 : 2 * normal;
            }),
        {.dtype = dtype});
    constexpr double kLargest[] = {64 * (1 - 0x1p-11), 56 * (1 + 0x1p-11), 63};
    add(recipe("mxfp8_near_power", {2, 96})
            .why("the largest of a block beside a number at which its scale changes: rounded to "
                 "bfloat16 before, it has another scale")
            .x([=](std::size_t i, double normal) {
              const bool is_first = i % kScaledBlockSize == 0;
              return is_first ? kLargest[i / kScaledBlockSize % 3] : 4 * normal;
            }),
        {.dtype = dtype});
    add(recipe("mxfp8_ties", {2, 64})
            .why("ties in blocks of 32, whose quotients are exact: to even, not away from 0")
            .x([](std::size_t i, double) {
              const double significand = 8.5 + static_cast<double>(i / 2 % 7);
              return std::ldexp(i % 2 == 0 ? significand : -significand,
                                static_cast<int>(i / kScaledBlockSize) - static_cast<int>(i % 3));
            }),
        {.dtype = dtype});
  }

  void add_wide_cases(const std::string& prefix, DType dtype) {
    add(recipe(prefix + "_wide", {3, 1027}).why("rows of real width in 8 bits").x(twice),
        {.dtype = dtype, .y = scale_for(10, dtype)});
    for (const auto& [name, group] : {std::pair{"_wide_groups", std::ptrdiff_t{128}},
                                      std::pair{"_wide_rows", std::ptrdiff_t{1027}},
                                      std::pair{"_wide_tensor", std::ptrdiff_t{kWholeTensor}}})
      add(recipe(prefix + name, {3, 1027})
              .why("scales that a kernel finds for rows of real width")
              .x(fill_varying_by_block(1027)),
          {.dtype = dtype, .group = group});
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

class DequantizeCases {
 public:
  DequantizeCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType x : {DType::float8_e4m3fn, DType::float8_e5m2, DType::int8}) add_cases(x);
    for (const DType x : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      add("mxfp8_" + short_name(x), {4, 100}, DType::float32,
          "x in blocks of 32 with a scale each: another width or axis, a scale off by a power of "
          "two, the last block dropped",
          fill_varying_by_block(100), {.blocks = true, .x_dtype = x});
      add("mxfp8_" + short_name(x), {4, 100}, DType::bfloat16,
          "y in bfloat16, x in blocks of 32 with a scale each", fill_varying_by_block(100),
          {.blocks = true, .x_dtype = x});
    }
    constexpr DType kE4m3 = DType::float8_e4m3fn;
    add("mxfp8_last_block", {3, 33}, DType::float32, "the last block of a row has one element",
        fill_varying_by_block(33), {.blocks = true, .x_dtype = kE4m3});
    add("mxfp8_short_row", {4, 31}, DType::float32, "a row is shorter than a block",
        fill_varying_by_block(31), {.blocks = true, .x_dtype = kE4m3});
    add("three_axes", {2, 3, 7}, DType::float32,
        "three axes: a scale for each row along the last one", fill_varying_by_row(7),
        {.x_dtype = kE4m3, .x_group = 7});
    add("single", {1, 1}, DType::float32, "one element and its scale",
        [](std::size_t, double) { return -1.375; }, {.x_dtype = kE4m3, .x_group = 1});
    add("small_scale", {3, 34}, DType::float16,
        "y so small that float16 has it as subnormal numbers", far_from_one,
        {.x = 1e-8, .x_dtype = kE4m3}, 1e-6);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add("nan_in_x", {4, 6}, DType::float32,
        "a NaN reaches the element of y at its index, and no other",
        [=](std::size_t i, double normal) { return i == 13 ? nan : normal; },
        {.x = kGivenScale, .x_dtype = kE4m3});
  }

  void standard() {
    for (const DType x : {DType::float8_e4m3fn, DType::float8_e5m2, DType::int8}) add_wide_cases(x);
    add("mxfp8_wide", {3, 1027}, DType::bfloat16, "rows of real width in blocks of 32",
        fill_varying_by_block(1027), {.blocks = true, .x_dtype = DType::float8_e4m3fn});
  }

 private:
  void add(const std::string& reason, Shape shape, DType y, std::string why, const Fill& fill,
           const EightBitScales& scales, double factor = 1) {
    const Recipe recipe =
        Recipe(tier_, "dequantize", reason, std::move(shape), y)
            .why(std::move(why))
            .x([=](std::size_t i, double normal) { return factor * fill(i, normal); });
    Case c = convert_to_8_bits(recipe.make(seed_), scales);
    std::erase_if(c.inputs, [](const corpus::StoredTensor& t) { return t.name == "grad_y"; });
    cases_.push_back(std::move(c));
  }

  void add_cases(DType x) {
    for (const DType y : {DType::float32, DType::bfloat16, DType::float16}) {
      add(short_name(x) + "_one_scale", {4, 66}, y,
          "one scale for all of x: forgotten, divided by instead of multiplied, applied twice, the "
          "wrong format",
          twice, {.x = kGivenScale, .x_dtype = x});
      add(short_name(x) + "_row_scales", {4, 66}, y,
          "a scale for each row of x: of another row, or forgotten", fill_varying_by_row(66),
          {.x_dtype = x, .x_group = 66});
    }
    add(short_name(x) + "_group_scales", {3, 160}, DType::float32,
        "a scale for each group of 64 columns of x: another width, one for the whole row, the last "
        "group dropped",
        fill_varying_by_block(160), {.x_dtype = x, .x_group = 64});
    const FloatFormat& format = format_of(x);
    add(short_name(x) + "_every_number", {16, 16}, DType::float32,
        "every finite number of the format: subnormal numbers, and 0 with both signs",
        [&format](std::size_t i, double) {
          const double number = ref::numeric::decode(format, i);
          return std::isfinite(number) && std::fabs(number) <= format.largest ? number / 64 : 0.0;
        },
        {.x = 1.0 / 64, .x_dtype = x});
  }

  void add_wide_cases(DType x) {
    add(short_name(x) + "_wide", {3, 1027}, DType::bfloat16, "rows of real width in 8 bits", twice,
        {.x = kGivenScale, .x_dtype = x});
    add(short_name(x) + "_wide_groups", {3, 1027}, DType::bfloat16,
        "rows of real width with groups of 128 columns", fill_varying_by_block(1027),
        {.x_dtype = x, .x_group = 128});
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

template <class Cases>
std::vector<Case> cases_of_tier(Cases cases, Tier tier) {
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

bool is_quantize(std::string_view operation) {
  return ref::model::is_operation_name<ref::model::QuantizeOptions>(operation);
}

}  // namespace

bool is_quantization(std::string_view operation) {
  return is_quantize(operation) ||
         ref::model::is_operation_name<ref::model::DequantizeOptions>(operation);
}

std::vector<Case> quantize_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  std::vector<Case> cases = is_quantize(operation)
                                ? cases_of_tier(QuantizeCases(tier, seed), tier)
                                : cases_of_tier(DequantizeCases(tier, seed), tier);
  std::ranges::move(four_bit_cases(tier, operation, seed), std::back_inserter(cases));
  return cases;
}

}  // namespace normproof::verification::golden::recipes
