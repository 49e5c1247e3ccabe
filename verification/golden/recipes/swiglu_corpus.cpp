#include "verification/golden/recipes/swiglu_corpus.hpp"

#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

namespace {

using Shape = std::vector<std::size_t>;

/// The values of the options as text.
struct SwigluTexts {
  const char *limit = "none", *alpha = "1", *beta = "0";
};
/// The options of the models gpt-oss.
constexpr SwigluTexts kGptOss = {.limit = "7", .alpha = "1.702", .beta = "1"};
constexpr double kGptOssLimit = 7;

constexpr DType kSwigluDtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};

class SwigluCases {
 public:
  SwigluCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kSwigluDtypes)
      add(recipe("gpt_oss", {3, 33}, dtype, kGptOss)
              .why("the limit, alpha and beta of gpt-oss, and elements on both sides of the limit"),
          6);
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      add_at_limit_case(dtype);
      add(recipe("far_beyond_limit", {3, 64}, dtype, kGptOss)
              .why("most elements are far beyond the limit, on both sides"),
          100);
    }
    add(recipe("one_column", {5, 1}, DType::float32, kGptOss).why("one column in each operand"), 6);
    add(recipe("two_blocks", {2, 128}, DType::bfloat16, kGptOss)
            .why("several blocks of columns in 16 bits"),
        6);
    add(recipe("limit_alone", {3, 31}, DType::float32, {.limit = "1"})
            .why("a limit without alpha and beta: the limit of the gate has two sides, that of x "
                 "has one"),
        2);
    add(recipe("low_alpha", {3, 13}, DType::float64, {.alpha = "0.5"})
            .why("alpha is 1/2 in the sigmoid alone"),
        2);
    add(recipe("high_alpha", {3, 13}, DType::float32, {.alpha = "3"})
            .why("alpha is 3 in the sigmoid alone"),
        2);
    add(recipe("low_beta", {3, 13}, DType::float32, {.beta = "-1.5"})
            .why("beta is negative: it is added to the gate, and not to x"),
        2);
    add(recipe("late_limit", {3, 65}, DType::float32, {.limit = "0.5", .beta = "2"})
            .why("beta is larger than the limit: it is added after the limit was applied"),
        2);
    add_nan_cases();
  }

  void standard() {
    constexpr std::size_t kWidthOfGptOss = 2880;
    add(recipe("wide_gpt_oss", {3, 1025}, DType::float32, kGptOss)
            .why("more features than a block has threads"),
        6);
    for (const DType dtype : {DType::bfloat16, DType::float16})
      add(recipe("wide_gpt_oss", {2, kWidthOfGptOss}, dtype, kGptOss)
              .why("the width of gpt-oss in 16 bits"),
          6);
    for (const DType dtype : {DType::float64, DType::float16})
      add(recipe("tall_gpt_oss", {131, 6}, dtype, kGptOss).why("a prime number of rows"), 8);
  }

 private:
  Recipe recipe(std::string reason, Shape shape, DType dtype, const SwigluTexts& texts) const {
    Recipe made(tier_, "swiglu", std::move(reason), std::move(shape), dtype);
    made.option("limit", texts.limit).option("alpha", texts.alpha).option("beta", texts.beta);
    return made;
  }
  void add(Recipe recipe, double factor) {
    const Fill scaled = [=](std::size_t, double normal) { return factor * normal; };
    cases_.push_back(recipe.x(scaled).gate(scaled).make(seed_));
  }

  /// Adds a case whose elements are at the limit, and half a unit and one unit of 16 bits beside
  /// it. Both operands take every place, in every combination.
  void add_at_limit_case(DType dtype) {
    constexpr double kPlaces[] = {kGptOssLimit,
                                  kGptOssLimit + 0.03125,
                                  kGptOssLimit - 0.03125,
                                  -kGptOssLimit,
                                  -kGptOssLimit - 0.03125,
                                  -kGptOssLimit + 0.03125,
                                  1};
    constexpr std::size_t kCount = std::size(kPlaces);
    cases_.push_back(recipe("at_the_limit", {kCount, kCount}, dtype, kGptOss)
                         .why("x and gate at the limit and next to it: the gradient at the limit "
                              "itself may be dropped, that beside it may not")
                         .x([=](std::size_t i, double) { return kPlaces[i % kCount]; })
                         .gate([=](std::size_t i, double) { return kPlaces[i / kCount]; })
                         .make(seed_));
  }

  /// Adds cases without grad_y: implementations may drop the gradient of a NaN that they compare
  /// with the limit.
  void add_nan_cases() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Case c = recipe("nan_at_the_limit", {4, 6}, DType::float32, kGptOss)
                 .why("a NaN in x and in gate reaches y: a minimum may replace it by the limit")
                 .x([=](std::size_t i, double normal) { return i == 13 ? kNaN : normal; })
                 .gate([=](std::size_t i, double normal) { return i == 8 ? kNaN : normal; })
                 .make(seed_);
    std::erase_if(c.inputs, [](const StoredTensor& t) { return t.name == "grad_y"; });
    cases_.push_back(std::move(c));
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> swiglu_option_cases(Tier tier, std::uint64_t seed) {
  SwigluCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
