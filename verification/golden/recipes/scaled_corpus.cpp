#include "verification/golden/recipes/scaled_corpus.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/elementary.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"
#include "verification/golden/recipes/scaled_inputs.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::kScaledBlockSize;
using corpus::Tier;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kEightBitDtypes[] = {DType::float8_e4m3fn, DType::float8_e5m2};
constexpr double kScaleOfX = 0.0371;

/// An operation that has 8-bit cases, with the approximate maxima of |y| and |grad_x| for ordinary
/// inputs.
struct ScaledOperation {
  std::string_view operation;
  bool is_layer;
  double largest_y, largest_gradient;
  /// Whether the operation is a norm of a sum. Its x and residual stay in float32, and so does the
  /// sum.
  bool adds = false;

  bool has_affine() const { return is_layer || adds; }
};
constexpr ScaledOperation kOperations[] = {{"layer_norm", true, 20, 10},
                                           {"rms_norm", true, 20, 10},
                                           {"softmax", false, 1, 1},
                                           {"silu", false, 10, 4},
                                           {"swiglu", false, 40, 20},
                                           {"add_layer_norm", false, 20, 10, true},
                                           {"add_rms_norm", false, 20, 10, true}};

class ScaledCases {
 public:
  ScaledCases(Tier tier, const ScaledOperation& scaled, std::uint64_t seed)
      : tier_(tier),
        operation_row_(scaled),
        seed_(seed),
        is_softmax_(ref::model::is_operation_name<ref::model::SoftmaxOptions>(scaled.operation)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kEightBitDtypes) {
      add_one_scale_cases(dtype);
      add_near_tie_cases(dtype);
      blocks("mxfp8_random", {4, 100}, dtype);
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add(recipe("float8_nan_in_x", {4, 6})
            .why("a NaN of 8 bits reaches what depends on it, and nothing else")
            .x([=](std::size_t i, double normal) { return i == 13 ? nan : normal; }),
        make_one_scale(DType::float8_e4m3fn));
    blocks("mxfp8_last_block", {3, 33}, DType::float8_e4m3fn);
    blocks("mxfp8_short_row", {4, 31}, DType::float8_e4m3fn);
    add(recipe("mxfp8_of_float32", {3, 70})
            .why("x in float32, y in blocks: its scales are found by the kernel")
            .x(fill_varying_by_block(70)),
        {.dtype = DType::float8_e4m3fn});
    add_near_power_case();
    if (!is_softmax_) add_group_cases();
    if (!is_softmax_) add_int8_cases();
    if (!operation_row_.has_affine() && !is_softmax_) add_zero_block_case();
  }

  /// Adds the cases in which a kernel finds float32 scales for rows or groups of columns of y.
  void add_group_cases() {
    const auto rows = [](std::size_t i, double normal) {
      return std::ldexp(normal, static_cast<int>(i / 66) - 1);
    };
    for (const DType dtype : kEightBitDtypes) {
      add(recipe("float8_row_scales", {4, 66})
              .why("a scale for each row of y, found by the kernel: of another row, of a part of "
                   "it, off by a factor")
              .x(rows),
          {.dtype = dtype, .group = 66});
      add(recipe("float8_group_scales", {3, 160})
              .why("a scale for each group of 64 columns of y: another width, one for the whole "
                   "row, the last group dropped")
              .x(fill_varying_by_block(160)),
          {.dtype = dtype, .group = 64});
    }
    constexpr DType kDtype = DType::float8_e4m3fn;
    add(recipe("float8_groups_of_128", {2, 256})
            .why("groups of 128 columns, as the weights of most models in 8 bits have them")
            .x(fill_varying_by_block(256)),
        {.dtype = kDtype, .group = 128});
    add(recipe("float8_bounded_scales", {4, 66})
            .why("an upper bound of the magnitude: the elements beyond it saturate")
            .x(rows),
        {.dtype = kDtype, .group = 66, .upper = 1.25});
    add(recipe("float8_least_scale", {4, 66})
            .why("a least scale: the elements of small rows use a part of the format")
            .x(rows),
        {.dtype = kDtype, .group = 66, .least = operation_row_.largest_y / 448});
    add(recipe("float8_tensor_scale", {5, 34})
            .why("one scale for all of y, found by the kernel: of one row or of a part of them")
            .x([](std::size_t i, double normal) {
              return std::ldexp(normal, static_cast<int>(i / 34) - 1);
            }),
        {.dtype = kDtype, .group = corpus::kWholeTensor});
    add(recipe("float8_powers_of_two", {3, 160})
            .why("scales of groups that are rounded up to powers of two: not rounded, rounded "
                 "down, or elements by the scale before it")
            .x(fill_varying_by_block(160)),
        {.dtype = kDtype, .group = 64, .powers_of_two = true});
    if (!operation_row_.has_affine())
      add(recipe("float8_negative_groups", {3, 128})
              .why("groups whose numbers are negative: the scale is that of a magnitude")
              .x([](std::size_t i, double normal) {
                const double magnitude = std::fabs(normal) + 0.5;
                return i / 64 % 2 == 0 ? -magnitude : magnitude;
              }),
          {.dtype = kDtype, .group = 64});
    add_zero_group_case();
    if (ref::model::is_operation_name<ref::model::SwigluOptions>(operation_row_.operation))
      add_limited_swiglu_case();
  }

  void add_limited_swiglu_case() {
    const auto scaled = [](std::size_t, double normal) { return 6 * normal; };
    add(recipe("float8_gpt_oss", {4, 66})
            .why("swiglu with the limit, alpha and beta of gpt-oss, and a scale for each row of y")
            .option("limit", "7")
            .option("alpha", "1.702")
            .option("beta", "1")
            .x(scaled)
            .gate(scaled),
        {.dtype = DType::float8_e4m3fn, .group = 66});
  }

  /// Adds a case in which the first or the second group of each row of y is zero.
  void add_zero_group_case() {
    constexpr std::size_t kGroup = 64;
    Recipe own = recipe("float8_zero_group", {3, 2 * kGroup});
    own.why("a group of zeros: its scale is not NaN, and none of its elements");
    const auto is_zero = [](std::size_t i) { return i / kGroup % 2 == 0; };
    if (operation_row_.has_affine())
      for (const char* const name : {"gamma", "beta"})
        own.parameter(name, [=](std::size_t i, double normal) { return is_zero(i) ? 0 : normal; });
    else
      own.x([=](std::size_t i, double normal) { return is_zero(i) ? 0.0 : 2 * normal; });
    add(own, {.dtype = DType::float8_e4m3fn, .group = kGroup});
  }

  /// Adds cases in int8, with a given scale and with scales that a kernel finds.
  void add_int8_cases() {
    constexpr DType kDtype = DType::int8;
    add(recipe("int8_random", {4, 66})
            .why("x and y of int8, each with one scale: forgotten, inverted or applied twice, "
                 "truncation, a code that wraps")
            .x(twice),
        make_one_scale(kDtype));
    EightBitScales beyond = make_one_scale(kDtype);
    *beyond.y /= 40;
    add(recipe("int8_saturated", {3, 33})
            .why("y beyond the range on both sides: 127 and -127, and no code that wraps")
            .x(twice),
        beyond);
    add(recipe("int8_row_scales", {4, 66})
            .why("int8 with a scale for each row of y (per token), found by the kernel")
            .x([](std::size_t i, double normal) {
              return std::ldexp(normal, static_cast<int>(i / 66) - 1);
            }),
        {.dtype = kDtype, .group = 66});
    add(recipe("int8_group_scales", {3, 160})
            .why("int8 with a scale for each group of 64 columns of y")
            .x(fill_varying_by_block(160)),
        {.dtype = kDtype, .group = 64});
  }

  void standard() {
    for (const DType dtype : kEightBitDtypes) {
      add(recipe("float8_wide", {3, 1027})
              .why("rows of real width in 8 bits")
              .x([](std::size_t, double normal) { return normal; }),
          make_one_scale(dtype));
      blocks("mxfp8_wide", {3, 1027}, dtype);
      if (is_softmax_) continue;
      for (const std::ptrdiff_t group : {std::ptrdiff_t{128}, std::ptrdiff_t{1027}})
        add(recipe(group == 128 ? "float8_wide_groups" : "float8_wide_rows", {3, 1027})
                .why("scales that a kernel finds for rows of real width")
                .x(fill_varying_by_block(1027)),
            {.dtype = dtype, .group = group});
    }
    blocks("mxfp8_more_rows", {40, 64}, DType::float8_e4m3fn);
  }

 private:
  static const ref::numeric::FloatFormat& row(DType dtype) {
    return ref::numeric::float_format_info(*ref::io::float_type(dtype));
  }

  Recipe recipe(std::string reason, Shape shape) const {
    if (operation_row_.is_layer)
      return norm_recipe(tier_, operation_row_.operation, std::move(reason), std::move(shape),
                         DType::float32);
    return {tier_, operation_row_.operation, std::move(reason), std::move(shape), DType::float32};
  }
  void add(const Recipe& recipe, const EightBitScales& scales) {
    cases_.push_back(convert_to_8_bits(recipe.make(seed_), scales));
  }

  /// Returns a scale with which the largest y is at most three quarters of the largest number of
  /// the dtype.
  double scale_of_y(DType dtype) const {
    return operation_row_.largest_y / (0.73 * row(dtype).largest);
  }
  EightBitScales make_one_scale(DType dtype) const {
    EightBitScales scales = {.dtype = dtype, .x = kScaleOfX, .y = scale_of_y(dtype)};
    if (operation_row_.adds) scales.x = std::nullopt;
    return scales;
  }

  static double twice(std::size_t, double normal) { return 2 * normal; }

  void add_one_scale_cases(DType dtype) {
    add(recipe("float8_random", {4, 66})
            .why("x and y of 8 bits, each with one scale: forgotten, inverted or applied twice, "
                 "the wrong format, truncation")
            .x(twice),
        make_one_scale(dtype));
    EightBitScales beyond = make_one_scale(dtype);
    *beyond.y /= 12;
    add(recipe("float8_saturated", {3, 33})
            .why("y beyond the range: the largest number, and no infinity or NaN")
            .x(twice),
        beyond);
    EightBitScales small = make_one_scale(dtype);
    *small.y *= row(dtype).largest / row(dtype).smallest_normal / 4;
    add(recipe("float8_subnormal", {3, 33})
            .why("most of y below the smallest normal number: its digits end, and 0 is not there "
                 "yet")
            .x(twice),
        small);
    if (operation_row_.adds) return;
    EightBitScales gradients = make_one_scale(dtype);
    gradients.grad_y = 0.0013;
    gradients.gradients =
        operation_row_.largest_gradient / (0.73 * row(DType::float8_e5m2).largest);
    add(recipe("float8_gradients", {4, 34})
            .why("gradients that come and go in e5m2, each with a scale")
            .x(twice),
        gradients);
    if (dtype != DType::float8_e5m2) return;
    *gradients.gradients /= 40;
    add(recipe("float8_gradients_saturated", {3, 33})
            .why("gradients beyond the range: the largest number, and no infinity")
            .x(twice),
        gradients);
  }

  /// Adds cases in which y is next to a midpoint of two numbers of the format. It is closer to the
  /// midpoint than float16 can resolve, so that an additional rounding to float16 gives the wrong
  /// result.
  void add_near_tie_cases(DType dtype) {
    const double scale = ref::numeric::round_to(ref::numeric::FloatType::float32,
                                                is_softmax_ ? 1.1 / row(dtype).largest : 0.43);
    const int digits = row(dtype).digits;
    // For softmax, the exponent is as large as the format allows while y is less than 1.
    const int exponent = is_softmax_ ? row(dtype).max_exponent - digits - 1 : 4;
    const auto beside_tie = [=](std::size_t k) {
      const int count = 1 << (digits - 1);
      const int significand = count + static_cast<int>(k % static_cast<std::size_t>(count));
      const double side = significand % 2 == 0 ? 1 : -1;
      const double tie = std::ldexp(significand + 0.5, exponent);
      return scale * tie * (1 + side * 0x1p-13);
    };
    Recipe own = recipe("float8_near_ties", is_softmax_ ? Shape{8, 2} : Shape{3, 8});
    own.why("y beside a tie of the format: rounded to float16 or bfloat16 before, it is one");
    if (operation_row_.has_affine())
      own.parameter("gamma", [](std::size_t, double) { return 0.0; })
          .parameter("beta", [=](std::size_t i, double) { return beside_tie(i); });
    else if (is_softmax_)
      own.x([=](std::size_t i, double) {
        const double p = beside_tie(i / 2);
        return ref::numeric::log(i % 2 == 0 ? p : 1 - p);
      });
    else
      own.x([=](std::size_t i, double) { return beside_tie(i); }).gate([](std::size_t, double) {
        return 1.0;
      });
    add(own, {.dtype = dtype, .y = scale});
  }

  /// Returns a fill with a constant that changes from block to block. For softmax, the constant is
  /// added to the elements of its block. For other operations, the elements are multiplied by it.
  Fill fill_varying_by_block(std::size_t d_model) const {
    const bool adds = is_softmax_;
    return [=](std::size_t i, double normal) {
      const std::size_t step = (i % d_model / kScaledBlockSize * 3 + i / d_model) % 5;
      return adds ? normal - 2 * static_cast<double>(step)
                  : std::ldexp(normal, static_cast<int>(step) - 2);
    };
  }

  void blocks(std::string reason, Shape shape, DType dtype) {
    const std::size_t d_model = shape.back();
    add(recipe(std::move(reason), std::move(shape))
            .why("x and y in blocks of 32 with a scale each: another width or axis, a scale off by "
                 "a power of two, the last block dropped")
            .x(fill_varying_by_block(d_model)),
        {.dtype = dtype, .blocks = !operation_row_.adds});
  }

  /// Adds a case in which the largest magnitude of a block is just below a power of two, or just
  /// above the largest number of the format times a power of two. A magnitude that is rounded to
  /// bfloat16 gets another scale. A third block tells this mistake from ScaleRounding::even.
  void add_near_power_case() {
    constexpr double kLargest[] = {64 * (1 - 0x1p-11), 56 * (1 + 0x1p-11), 63};
    const auto value = [=](std::size_t i, double normal) {
      const bool is_first = i % kScaledBlockSize == 0;
      return is_first ? kLargest[i / kScaledBlockSize % 3] : 4 * normal;
    };
    Recipe own = recipe("mxfp8_near_power", is_softmax_ ? Shape{6, 3} : Shape{2, 96});
    own.why(
        "the largest of a block beside a number at which its scale changes: rounded to "
        "bfloat16 before, it has another scale");
    if (operation_row_.has_affine())
      own.parameter("gamma", [](std::size_t, double) { return 0.0; }).parameter("beta", value);
    else if (is_softmax_)
      own.x([=](std::size_t i, double) {
        const std::size_t row = i / 3;
        const double largest = kLargest[row % 3] / 128;
        const double second = 0.25 + 0.01 * static_cast<double>(row);
        return ref::numeric::log(i % 3 == 0 ? largest : i % 3 == 1 ? second : 1 - largest - second);
      });
    else
      own.x(value).gate([](std::size_t, double) { return 1.0; });
    add(own, {.dtype = DType::float8_e4m3fn});
  }

  void add_zero_block_case() {
    add(recipe("mxfp8_zero_block", {3, 64})
            .why("a block of zeros: no scale of it is NaN, and none of its elements")
            .x([](std::size_t i, double normal) {
              return i % 64 / kScaledBlockSize == i / 64 % 2 ? 0.0 : 2 * normal;
            }),
        {.dtype = DType::float8_e4m3fn, .blocks = true});
  }

  Tier tier_;
  const ScaledOperation& operation_row_;
  std::uint64_t seed_;
  bool is_softmax_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> scaled_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  if (is_quantization(operation)) return quantize_cases(tier, operation, seed);
  for (const ScaledOperation& scaled : kOperations) {
    if (scaled.operation != operation) continue;
    ScaledCases cases(tier, scaled, seed);
    if (tier == Tier::quick) cases.quick();
    if (tier == Tier::standard) cases.standard();
    return cases.take();
  }
  return {};
}

}  // namespace normproof::verification::golden::recipes
