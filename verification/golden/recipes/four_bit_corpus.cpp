#include "verification/golden/recipes/four_bit_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/float_bits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/recipe.hpp"
#include "verification/golden/recipes/scaled_inputs.hpp"

namespace normproof::verification::golden::recipes {

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kFourBits = DType::float4_e2m1fn;
/// A scale of the tensor as large as the magnitude 10 divided by 6 and by 448.
constexpr double kTensorScale = 0.00371;

double decode(std::size_t code) {
  return ref::numeric::decode(
      ref::numeric::float_format_info(ref::numeric::FloatType::float4_e2m1fn), code);
}

/// Returns the midpoint of the numbers whose codes are `code` and `code` + 1, with a sign.
/// Requires  code < 7
double midpoint(std::size_t code, bool is_negative) {
  const double middle = (decode(code) + decode(code + 1)) / 2;
  return is_negative ? -middle : middle;
}

/// A block format of 4 bits.
struct BlockFormat {
  std::string name;
  std::size_t block;
  bool has_tensor_scale;

  EightBitScales scales_of_y(double of_tensor = kTensorScale) const {
    EightBitScales scales{.dtype = kFourBits};
    if (has_tensor_scale) scales.y_tensor = of_tensor;
    return scales;
  }
  EightBitScales scales_of_x(double of_tensor = kTensorScale) const {
    EightBitScales scales{.blocks = true, .x_dtype = kFourBits};
    if (has_tensor_scale) scales.x_tensor = of_tensor;
    return scales;
  }
};

const BlockFormat kFormats[] = {{"mxfp4", corpus::kScaledBlockSize, false},
                                {"nvfp4", corpus::kBlockOfTwoScales, true}};

/// Collects the cases of one operation.
class FourBitCases {
 public:
  FourBitCases(Tier tier, std::string operation, std::uint64_t seed)
      : tier_(tier), operation_(std::move(operation)), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quantize() {
    for (const BlockFormat& format : kFormats) {
      if (tier_ == Tier::quick) {
        add_quantized(format);
        add_edges(format, format.scales_of_y());
        add_ties(format);
      }
      if (tier_ == Tier::standard) add_wide(format, format.scales_of_y(), DType::bfloat16);
    }
    if (tier_ != Tier::quick) return;
    add_magnitudes_of_powers();
    add_limits_of_e4m3();
  }

  void dequantize() {
    for (const BlockFormat& format : kFormats) {
      if (tier_ == Tier::quick) {
        add_dequantized(format);
        add_edges(format, format.scales_of_x());
        add_codes(format);
      }
      if (tier_ == Tier::standard) add_wide(format, format.scales_of_x(), DType::bfloat16);
    }
  }

 private:
  Recipe recipe(std::string reason, Shape shape, DType dtype = DType::float32) const {
    return {tier_, operation_, std::move(reason), std::move(shape), dtype};
  }

  void add(const Recipe& recipe, const EightBitScales& scales) {
    Case c = convert_to_8_bits(recipe.make(seed_), scales);
    std::erase_if(c.inputs, [](const StoredTensor& t) { return t.name == "grad_y"; });
    cases_.push_back(std::move(c));
  }

  void add_quantized(const BlockFormat& format) {
    add(recipe(format.name + "_random", {4, 100})
            .why("blocks of 4 bits whose magnitudes differ: another width or axis, a scale off by "
                 "a factor, elements in the wrong half of a byte")
            .x(fill_varying_by_block(100, format.block)),
        format.scales_of_y());
    for (const DType x : {DType::bfloat16, DType::float16})
      add(recipe(fmt::format("{}_of_{}", format.name, ref::io::to_string(x)), {3, 70}, x)
              .why("x in 16 bits: neither a scale nor a quotient is rounded to 16 bits")
              .x(fill_varying_by_block(70, format.block)),
          format.scales_of_y());
  }

  void add_dequantized(const BlockFormat& format) {
    for (const DType y : {DType::float32, DType::bfloat16, DType::float16})
      add(recipe(format.name + "_random", {4, 100}, y)
              .why("blocks of 4 bits whose magnitudes differ: the scale of another block, a scale "
                   "off by a factor, elements in the wrong half of a byte")
              .x(fill_varying_by_block(100, format.block)),
          format.scales_of_x());
    if (format.has_tensor_scale)
      add(recipe("nvfp4_subnormal_scales", {3, 64})
              .why("scales that are subnormal numbers of e4m3: they are not read as normal ones")
              .x([=](std::size_t i, double normal) {
                const int step = static_cast<int>(i / format.block % 4);
                return std::ldexp(normal < 0 ? normal - 1 : normal + 1, -step);
              }),
          format.scales_of_x(12));
    add(recipe(format.name + "_small", {3, 36}, DType::float16)
            .why("y so small that float16 has it as subnormal numbers")
            .x([](std::size_t, double normal) { return normal * 1e-6; }),
        format.scales_of_x(1e-7));
  }

  /// Adds the edges of blocks and of shapes.
  void add_edges(const BlockFormat& format, const EightBitScales& scales) {
    const std::size_t block = format.block;
    add(recipe(format.name + "_last_block", {3, 2 * block + 2})
            .why("the last block of a row has two elements")
            .x(fill_varying_by_block(2 * block + 2, block)),
        scales);
    add(recipe(format.name + "_short_row", {4, block - 2})
            .why("a row is shorter than a block, which does not extend into the next row")
            .x([=](std::size_t i, double normal) {
              return std::ldexp(normal, static_cast<int>(i / (block - 2)));
            }),
        scales);
    add(recipe(format.name + "_axes", {2, 3, 8}).why("three axes: the blocks lie along the last"),
        scales);
    add(recipe(format.name + "_single", {1, 2})
            .why("one byte: two elements and their scale")
            .x([](std::size_t i, double) { return i == 0 ? -1.375 : 0.5; }),
        scales);
    add(recipe(format.name + "_zero_block", {3, 4 * block})
            .why("a block of zeros: no scale of it is NaN, and none of its elements")
            .x([=](std::size_t i, double normal) { return i / block % 3 == 1 ? 0.0 : 2 * normal; }),
        scales);
  }

  void add_ties(const BlockFormat& format) {
    const std::size_t block = format.block;
    // The largest element, 6, makes the scale of a block 1, and that of nvfp4 too.
    add(recipe(format.name + "_near_ties", {2, 2 * block})
            .why("x beside a tie of 4 bits: rounded to float16 or bfloat16 before, it is one")
            .x([=](std::size_t i, double) {
              if (i % block == 0) return 6.0;
              const std::size_t code = i % 7;
              const double side = code % 2 == 0 ? 1 : -1;
              return midpoint(code, i / 7 % 2 == 1) * (1 + side * 0x1p-13);
            }),
        format.scales_of_y(1));
    if (format.has_tensor_scale) return;
    add(recipe(format.name + "_ties", {2, 2 * block})
            .why("ties, whose quotients are exact: to even, not away from 0 or toward it")
            .x([=](std::size_t i, double) {
              return i % block == 0 ? 6.0 : midpoint(i % 7, i / 7 % 2 == 1);
            }),
        format.scales_of_y());
  }

  /// Adds cases of mxfp4 whose scales are at an end of their range or beside a change.
  void add_magnitudes_of_powers() {
    const BlockFormat& format = kFormats[0];
    add(recipe("mxfp4_saturated", {3, 64})
            .why("the largest of a block is 7.9 times the scale: it becomes 6, and its code does "
                 "not wrap around")
            .x([&](std::size_t i, double normal) {
              return i % format.block == 3 ? (i % 2 == 0 ? -7.9 : 7.9) : normal;
            }),
        format.scales_of_y());
    constexpr double kLargest[] = {64 * (1 - 0x1p-11), 48 * (1 + 0x1p-11), 56};
    add(recipe("mxfp4_near_power", {2, 96})
            .why("the largest of a block beside a number at which its scale changes: rounded to "
                 "bfloat16 before, it has another scale")
            .x([=](std::size_t i, double normal) {
              const bool is_first = i % corpus::kScaledBlockSize == 0;
              return is_first ? kLargest[i / corpus::kScaledBlockSize % 3] : 4 * normal;
            }),
        format.scales_of_y());
    add(recipe("mxfp4_magnitudes", {5, 34})
            .why("rows from 2^-126 to 2^120: the least scale is 2^-127")
            .x([](std::size_t i, double normal) {
              const int row = static_cast<int>(i / 34);
              const double x = normal < 0 ? normal - 1 : normal + 1;
              return std::ldexp(x, row == 0 ? -126 : 60 * row - 120);
            }),
        format.scales_of_y());
  }

  /// Adds cases of nvfp4 whose scales are at an end of the range of e4m3.
  void add_limits_of_e4m3() {
    const BlockFormat& format = kFormats[1];
    add(recipe("nvfp4_small_blocks", {3, 64})
            .why("scales that are subnormal numbers of e4m3: their digits end, and 0 is not there "
                 "yet")
            .x([&](std::size_t i, double normal) {
              const int step = static_cast<int>(i / format.block % 4);
              return std::ldexp(normal < 0 ? normal - 1 : normal + 1, -step);
            }),
        format.scales_of_y(12));
    add(recipe("nvfp4_saturated_scales", {3, 64})
            .why("a scale of the tensor that is outdated: the scale of a block is at most 448, and "
                 "its elements at most 6")
            .x([&](std::size_t i, double normal) {
              return i / format.block % 2 == 0 ? 30 * normal : normal;
            }),
        format.scales_of_y(0.005));
  }

  /// Adds every code of 4 bits, with both zeros.
  void add_codes(const BlockFormat& format) {
    add(recipe(format.name + "_every_code", {4, 4 * format.block})
            .why("every code of 4 bits in each half of a byte, and 0 with both signs")
            .x([&](std::size_t i, double) { return decode((i + i / 16 % 2) % 16); }),
        format.scales_of_x(1));
  }

  void add_wide(const BlockFormat& format, const EightBitScales& scales, DType dtype) {
    for (const std::size_t width : {std::size_t{1026}, std::size_t{4096}})
      add(recipe(format.name + "_wide", {2, width}, dtype)
              .why("rows of real width in blocks of 4 bits")
              .x(fill_varying_by_block(width, format.block)),
          scales);
  }

  Tier tier_;
  std::string operation_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> four_bit_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  FourBitCases cases(tier, std::string(operation), seed);
  if (ref::model::is_operation_name<ref::model::QuantizeOptions>(operation))
    cases.quantize();
  else
    cases.dequantize();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
