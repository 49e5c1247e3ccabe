#include "verification/golden/recipes/cross_entropy_corpus.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

/// The description of one case of cross_entropy.
struct LossRecipe {
  std::string reason;
  const char* why;
  DType dtype = DType::float32;
  std::size_t rows = 7, classes = 5;
  const char* smoothing = nullptr;
  const char *reduction = nullptr, *z_loss = nullptr, *soft_cap = nullptr;
  Fill logits = scaled_logits(2);
  Fill weights = {};  ///< the class weights; if empty, the case has none
  /// Whether a row is included in the loss. If the function is empty, the case has no mask.
  std::function<bool(std::size_t row)> valid = {};
  /// The target of a row. If the function is empty, targets are random.
  std::function<std::size_t(std::size_t row)> target = {};

  static Fill scaled_logits(double factor, double offset = 0) {
    return [=](std::size_t, double normal) { return offset + factor * normal; };
  }
  /// Returns a class weight. All weights are different, and none is near 1.
  static double uneven_class_weight(std::size_t i, double normal) {
    return (i % 2 == 0 ? 1.75 : 0.25) + 0.125 * std::fabs(normal);
  }
};

class LossCases {
 public:
  LossCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
      add_cases_in_every_dtype(dtype);
    for (const DType dtype : {DType::float64, DType::float32}) add_logits_far_from_zero(dtype);
    options();
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
      add_reductions_and_terms(dtype);
    combined_terms();
    extents();
    for (const std::size_t edge : block_edges_of_tier(tier_)) add_block_edge_cases(edge);
    low_precision_cases(513, 600);
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      add({.reason = "smoothed_vocabulary",
           .why = "label smoothing over 130 classes: the share of each class is far below 1/100",
           .dtype = dtype,
           .rows = 4,
           .classes = 130,
           .smoothing = "0.1",
           .logits = LossRecipe::scaled_logits(3),
           .target = [](std::size_t row) { return row % 2 == 0 ? 129u - row : 3u * row; }});
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      add_late_targets(dtype, 264, {130, 263});
    add({.reason = "subnormal_16_bits",
         .why = kWhySubnormal,
         .dtype = DType::float16,
         .logits = some_subnormal_elements(2)});
    add({.reason = "near_largest",
         .why = kWhyNearLargest,
         .dtype = DType::float16,
         .logits = near_largest});
    add({.reason = "nan_in_logits",
         .why = "a NaN reaches the loss and the gradients of its row, and no others",
         .logits = [](std::size_t i, double normal) {
           return i == 8 ? std::numeric_limits<double>::quiet_NaN() : normal;
         }});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "minus_infinity_logits",
           .why =
               "-infinity excludes a class, as masks of the vocabulary do: the first one of a row, "
               "the last ones, all but the target",
           .dtype = dtype,
           .rows = 4,
           .classes = 6,
           .logits =
               [](std::size_t i, double normal) {
                 const std::size_t row = i / 6, column = i % 6;
                 const bool excluded = row == 1   ? column % 3 == 0
                                       : row == 2 ? column != 4
                                       : row == 3 ? column >= 4
                                                  : false;
                 return excluded ? -std::numeric_limits<double>::infinity() : normal;
               },
           .target = [](std::size_t row) { return row == 2 ? 4u : 1u; }});
  }

  void standard() {
    for (const DType dtype : {DType::float64, DType::float32})
      for (const char* name : {"random_a", "random_b"})
        add({.reason = name,
             .why = "random inputs of another seed",
             .dtype = dtype,
             .rows = 37,
             .classes = 30,
             .smoothing = "0.1",
             .logits = LossRecipe::scaled_logits(3),
             .weights = LossRecipe::uneven_class_weight,
             .valid = every_third_is_ignored});
    for (const std::size_t edge : block_edges_of_tier(tier_)) add_block_edge_cases(edge);
    low_precision_cases(2050, 2050);
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add_late_targets(dtype, 32776, {32770, 200});
  }

 private:
  static bool every_third_is_ignored(std::size_t row) { return row % 3 != 1; }

  void add(const LossRecipe& r) {
    Case c;
    c.tier = tier_;
    c.reason = r.reason;
    c.why = r.why;
    c.options = ref::model::operation("cross_entropy");
    c.dtype = r.dtype;
    for (const auto& [name, value] : {std::pair("label_smoothing", r.smoothing),
                                      {"reduction", r.reduction},
                                      {"z_loss", r.z_loss},
                                      {"soft_cap", r.soft_cap}})
      if (value != nullptr) ref::model::set_option(c.options, name, value);
    const auto add_input = [&](const char* name, std::vector<std::size_t> shape, DType dtype,
                               const Fill& fill) {
      c.inputs.push_back(filled_tensor(c, name, std::move(shape), dtype, fill, seed_));
    };
    if (r.weights) add_input("class_weights", {r.classes}, c.dtype, r.weights);
    add_input("logits", {r.rows, r.classes}, c.dtype, r.logits);
    add_input("targets", {r.rows}, DType::int64, [&r](std::size_t row, double normal) {
      // Consecutive rows have different targets if there are at least three classes.
      const std::size_t drawn = (3 * row + (normal < 0 ? 1 : 0)) % r.classes;
      return static_cast<double>(r.target ? r.target(row) : drawn);
    });
    if (r.valid)
      add_input("valid", {r.rows}, DType::boolean,
                [&r](std::size_t row, double) { return r.valid(row) ? 1.0 : 0.0; });
    cases_.push_back(std::move(c));
  }

  void add_cases_in_every_dtype(DType dtype) {
    add({.reason = "random", .why = "ordinary inputs", .dtype = dtype});
    add({.reason = "ignored",
         .why = "a third of the rows takes no part: the mean is over the others",
         .dtype = dtype,
         .valid = every_third_is_ignored});
    add({.reason = "weighted",
         .why = "classes of unlike weight: the mean divides by the weights of the targets",
         .dtype = dtype,
         .weights = LossRecipe::uneven_class_weight});
    add({.reason = "smoothed",
         .why = "a tenth of the target is spread over all classes, the target's own included",
         .dtype = dtype,
         .smoothing = "0.1"});
    add({.reason = "weighted_smoothed_ignored",
         .why = "weights, smoothing and ignored rows at once",
         .dtype = dtype,
         .smoothing = "0.25",
         .weights = LossRecipe::uneven_class_weight,
         .valid = every_third_is_ignored});
    add({.reason = "large_logits",
         .why = "logits of hundreds: exp overflows unless the largest is subtracted",
         .dtype = dtype,
         .logits = LossRecipe::scaled_logits(100)});
  }

  void add_logits_far_from_zero(DType dtype) {
    add({.reason = "offset_1e4",
         .why = "large logits that differ by little",
         .dtype = dtype,
         .logits = LossRecipe::scaled_logits(1, 1e4)});
    add({.reason = "offset_minus_1e5",
         .why = "logits below what stands for minus infinity in some kernels",
         .dtype = dtype,
         .logits = LossRecipe::scaled_logits(1, -1e5)});
    add({.reason = "certain",
         .why = "the target has nearly all: a loss and gradients near 0",
         .dtype = dtype,
         .logits = [](std::size_t i, double normal) { return i % 5 == 2 ? 12 + normal : normal; },
         .target = [](std::size_t) { return std::size_t{2}; }});
  }

  void options() {
    add({.reason = "wholly_smoothed",
         .why = "label smoothing 1: the target itself does not count",
         .smoothing = "1",
         .weights = LossRecipe::uneven_class_weight});
    add({.reason = "weights_of_0",
         .why = "classes of weight 0, some of them targets",
         .weights = [](std::size_t i, double) { return i % 2 == 0 ? 0.0 : 0.75; }});
    add({.reason = "zeros_in_logits",
         .why = "rows of zeros: each class has 1/C",
         .logits = [](std::size_t i, double normal) { return i / 5 % 2 == 0 ? 0.0 : normal; }});
    add({.reason = "last_class",
         .why = "targets are the first class or the last",
         .target = [](std::size_t row) { return row % 2 == 0 ? std::size_t{4} : std::size_t{0}; }});
    add({.reason = "one_row_counts",
         .why = "one row is not ignored, and it is the last",
         .valid = [](std::size_t row) { return row == 6; }});
  }

  /// Adds cases of each reduction, of the z-loss and of the cap.
  void add_reductions_and_terms(DType dtype) {
    add({.reason = "sum",
         .why = "the sum of the losses: it is divided neither by the rows nor by the weights",
         .dtype = dtype,
         .reduction = "sum",
         .weights = LossRecipe::uneven_class_weight,
         .valid = every_third_is_ignored});
    add({.reason = "each_row",
         .why = "the loss of each row, and 0 for rows that take no part",
         .dtype = dtype,
         .reduction = "none",
         .valid = every_third_is_ignored});
    add({.reason = "z_loss",
         .why = "the square of the log-sum-exp of a row: its factor, its gradient, its divisor",
         .dtype = dtype,
         .z_loss = "0.25",
         .valid = every_third_is_ignored});
    add({.reason = "logit_cap",
         .why = "logits beyond a cap of 3, as in Gemma: tanh bends them, and has a derivative",
         .dtype = dtype,
         .soft_cap = "3",
         .logits = LossRecipe::scaled_logits(4)});
  }

  /// Adds cases of several options at once, and of options at the ends of their range.
  void combined_terms() {
    add({.reason = "z_loss_weighted",
         .why = "the mean of the z-loss is over rows, and that of the losses over weights",
         .z_loss = "0.5",
         .weights = LossRecipe::uneven_class_weight,
         .valid = every_third_is_ignored});
    add({.reason = "z_loss_small",
         .why = "a z-loss of 0.0001, as models have it, over logits of tens",
         .z_loss = "0.0001",
         .logits = LossRecipe::scaled_logits(12)});
    add({.reason = "z_loss_sum",
         .why = "the sum of the losses and of the z-losses",
         .reduction = "sum",
         .z_loss = "0.3"});
    add({.reason = "each_row_with_every_term",
         .why = "smoothing, weights, a z-loss and a cap, for each row",
         .smoothing = "0.1",
         .reduction = "none",
         .z_loss = "0.125",
         .soft_cap = "5",
         .logits = LossRecipe::scaled_logits(4),
         .weights = LossRecipe::uneven_class_weight,
         .valid = every_third_is_ignored});
    add({.reason = "logit_cap_large",
         .why = "a cap of 30 over small logits, which it nearly leaves alone",
         .soft_cap = "30"});
    add({.reason = "logit_cap_of_large_logits",
         .why = "logits of hundreds at a cap of 20: all are nearly the cap, and gradients vanish",
         .soft_cap = "20",
         .logits = LossRecipe::scaled_logits(100)});
    add({.reason = "logit_cap_vocabulary",
         .why = "a cap and a z-loss over more than one block of classes, and late targets",
         .rows = 3,
         .classes = 264,
         .z_loss = "0.25",
         .soft_cap = "4",
         .logits = LossRecipe::scaled_logits(3),
         .target = [](std::size_t row) { return 263 - 90 * row; }});
  }

  void extents() {
    add({.reason = "one_class", .why = "C = 1: the loss is 0", .classes = 1});
    add({.reason = "two_classes", .why = "C = 2", .classes = 2});
    add({.reason = "one_row", .why = "N = 1", .rows = 1});
    add({.reason = "odd", .why = "odd extents", .rows = 13, .classes = 17, .smoothing = "0.1"});
  }

  /// Adds a case with `edge` classes and a case with `edge` rows.
  void add_block_edge_cases(std::size_t edge) {
    LossRecipe r{.reason = "block_edge", .why = kWhyBlockEdge, .rows = 3, .classes = edge};
    add(r);
    std::swap(r.rows, r.classes);
    add(r);
  }

  /// Adds a case of two rows with these targets.
  void add_late_targets(DType dtype, std::size_t classes, std::array<std::size_t, 2> targets) {
    add({.reason = "late_targets",
         .why = "targets past the first block of classes, and past the largest number of a signed "
                "index of few bits",
         .dtype = dtype,
         .rows = 2,
         .classes = classes,
         .target = [targets](std::size_t row) { return targets[row]; }});
  }

  void low_precision_cases(std::size_t classes, std::size_t rows) {
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      add({.reason = "wide_row",
           .why = "a vocabulary: a sum of exponentials that is kept in 16 bits stops growing",
           .dtype = dtype,
           .rows = 2,
           .classes = classes,
           .logits = LossRecipe::scaled_logits(0.5)});
      add({.reason = "many_rows",
           .why = "a mean over many rows, and the sum of their weights, kept in 16 bits",
           .dtype = dtype,
           .rows = rows,
           .classes = 2,
           .weights = LossRecipe::uneven_class_weight});
    }
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> cross_entropy_cases(Tier tier, std::uint64_t seed) {
  LossCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
