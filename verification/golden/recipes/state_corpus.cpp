#include "verification/golden/recipes/state_corpus.hpp"

#include <limits>
#include <string>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_option;
using corpus::has_state;
using corpus::Tier;

namespace {

constexpr double kWarmupNaN = std::numeric_limits<double>::quiet_NaN();

class StateCases {
 public:
  explicit StateCases(std::uint64_t seed) : seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void inference(std::string_view layer) {
    for (const DType dtype : {DType::float64, DType::float32})
      add(norm_recipe(Tier::quick, layer, "inference", {3, 5, 6}, dtype)
              .why("running statistics normalise, and nothing moves")
              .inference());
    add(norm_recipe(Tier::quick, layer, "inference_offset_1e3", {4, 6}, DType::float32)
            .why("inference far from the running mean")
            .x(offset_by(1e3))
            .inference());
    add(norm_recipe(Tier::quick, layer, "inference_variance_near_eps", {4, 6}, DType::float32)
            .why("running statistics comparable with eps")
            .state("running_variance", [](auto, double normal) { return 1e-5 + 1e-6 * normal; })
            .state("running_psi2", [](auto, double normal) { return 1e-5 + 1e-6 * normal; })
            .inference());
  }

  void add_sequence_cases(std::string_view layer) {
    for (const DType dtype : {DType::float64, DType::float32})
      add(norm_recipe(Tier::quick, layer, "steps", {6, 5}, dtype)
              .why("four steps: the state of one is the input of the next")
              .steps(4)
              .x([](std::size_t i, double normal) {
                const std::size_t step = i / 30;
                return static_cast<double>(step) + (1 + static_cast<double>(step)) * normal;
              }));
    Recipe slow = norm_recipe(Tier::quick, layer, "slow_decay", {6, 5}, DType::float32);
    slow.why("a decay far from 1/2: old and new weight swapped shows").steps(3);
    if (has_option(layer, "warmup_iterations"))
      slow.option("alpha_forward", "0.96875").option("alpha_backward", "0.875");
    else
      slow.option("running_decay", "0.96875");
    add(slow);
    if (has_option(layer, "unbiased_running_variance"))
      add(norm_recipe(Tier::quick, layer, "biased_running_variance", {4, 5}, DType::float32)
              .why("the running variance without the factor n/(n-1), with few rows")
              .option("unbiased_running_variance", "0"));
    if (has_option(layer, "r_max"))
      add(norm_recipe(Tier::quick, layer, "clipped", {6, 5}, DType::float32)
              .why("r and d at their limits in some channels and within them in others")
              .option("r_max", "1.5")
              .option("d_max", "0.25")
              .x([](std::size_t i, double normal) {
                return static_cast<double>(i % 5) / 4 + (0.5 + static_cast<double>(i % 5)) * normal;
              })
              .state("running_mean", [](auto, double) { return 0.5; })
              .state("running_variance", [](auto, double) { return 2.0; }));
  }

  void power_norm(std::string_view layer) {
    const std::vector<std::size_t> shape = {6, 5};
    const auto sequence = [&](const char* reason, const char* why, DType dtype, std::size_t steps) {
      Recipe recipe = norm_recipe(Tier::quick, layer, reason, shape, dtype);
      recipe.why(why).steps(steps);
      return recipe;
    };
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(sequence(
              "every_4th_batch",
              "a channel that is active in one batch of four: nu at t - 1 belongs to another one",
              dtype, 8)
              .x([](std::size_t i, double normal) {
                return i % 5 == 2 && i / 30 % 4 != 3 ? 0.0625 * normal : 4 * normal;
              }));
      add(sequence("quiet_after_loud",
                   "quiet batches after loud ones: the running psi is far above the batch's own",
                   dtype, 5)
              .x([](std::size_t i, double normal) { return (i < 60 ? 16 : 0.0625) * normal; }));
      add(sequence("warmup_boundary", "the last iterations of the warm-up and the first after it",
                   dtype, 5)
              .option("warmup_iterations", "4")
              .state("iterations", [](auto, double) { return 1.0; }));
    }
    add(sequence("first_iterations", "the first iterations of the warm-up: no state has a weight",
                 DType::float32, 2)
            .option("warmup_iterations", "4")
            .state("iterations", [](auto, double) { return 0.0; }));
    add(norm_recipe(Tier::quick, layer, "near_largest", {3, 6}, DType::float16)
            .why(kWhyNearLargest)
            .x(near_largest)
            .state("running_psi2",
                   [](std::size_t i, double normal) { return 4e8 * positive(i, normal); }));
    add(norm_recipe(Tier::quick, layer, "nan_in_warmup", {3, 4, 6}, DType::float32)
            .why("in the warm-up the statistic of the batch scales: a NaN reaches it, and rstd")
            .option("warmup_iterations", "4")
            .x([](std::size_t i, double normal) { return i == 31 ? kWarmupNaN : normal; }));
    add(norm_recipe(Tier::quick, layer, "pads_8x", {3, 5, 6}, DType::float32)
            .why("padding eight times as large as the tokens, as an embedding of [PAD] may be")
            .pads([](std::size_t row) { return row % 5 >= 3; })
            .x([](std::size_t i, double normal) { return (i / 6 % 5 >= 3 ? 8 : 1) * normal; })
            .grad_y([](std::size_t i, double normal) { return i / 6 % 5 >= 3 ? 0 : normal; }));
    if (!has_option(layer, "group_scaling")) return;
    for (const char* off : {"group_scaling", "divide_by_batch_psi", "cumulative_warmup_average",
                            "pads_in_backward", "scaled_nu"})
      add(sequence((std::string("without_") + off).c_str(),
                   "one difference from the paper switched off", DType::float32, 3)
              .option(off, "0")
              .option("warmup_iterations", "4")
              .pads([](std::size_t row) { return row % 6 == 5; }));
  }

 private:
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> state_cases(std::string_view layer, std::uint64_t seed) {
  if (!has_state(layer)) return {};
  StateCases cases(seed);
  cases.inference(layer);
  cases.add_sequence_cases(layer);
  if (has_option(layer, "warmup_iterations")) cases.power_norm(layer);
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
