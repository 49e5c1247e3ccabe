#include "verification/golden/recipes/activation_corpus.hpp"

#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

namespace {

namespace model = ref::model;

bool has_exponential(std::string_view function) {
  return model::is_operation_name<model::SigmoidOptions>(function) ||
         model::is_operation_name<model::LogSigmoidOptions>(function) ||
         model::is_operation_name<model::SoftplusOptions>(function) ||
         model::is_operation_name<model::TanhOptions>(function) ||
         model::is_operation_name<model::MishOptions>(function);
}

/// Returns numbers of alternating signs whose magnitudes grow by `step` from `first` on.
Fill alternating(double first, double step) {
  return [=](std::size_t i, double) {
    return (i % 2 == 0 ? 1 : -1) * (first + step * static_cast<double>(i));
  };
}

void add_far_tails(Tier tier, std::string_view function, std::uint64_t seed,
                   std::vector<Case>& cases) {
  for (const DType dtype : {DType::float32, DType::bfloat16})
    cases.push_back(Recipe(tier, function, "far_tails", {6, 7}, dtype)
                        .why("from 5 to 107 on both sides: exponentials that nearly vanish, and "
                             "overflow beyond 88.7")
                        .x(alternating(5, 2.5))
                        .make(seed));
}

/// An option of softplus and values of x for which it matters.
struct SoftplusCase {
  const char *reason, *beta, *threshold, *why;
  DType dtype;
  double first, step;
};

constexpr SoftplusCase kSoftplusCases[] = {
    {"half_beta", "0.5", "none", "beta is 1/2: the result is twice that of x/2", DType::float32, 0,
     0.75},
    {"triple_beta", "3", "none", "beta is 3: x is multiplied before exp, and the result divided",
     DType::float64, 0, 0.25},
    {"triple_beta", "3", "none", "beta is 3, in 16 bits", DType::bfloat16, 0, 0.25},
    {"low_threshold", "1", "2", "x itself above a threshold of 2, from which softplus is far",
     DType::float32, 0, 0.25},
    {"threshold_of_beta_x", "2", "3", "the threshold is compared with beta x, and not with x",
     DType::float32, 0, 0.25},
    {"threshold_20", "1", "20", "x itself above 20: the difference shows in float64 alone",
     DType::float64, 14, 1.25}};

void add_softplus_options(Tier tier, std::string_view function, std::uint64_t seed,
                          std::vector<Case>& cases) {
  for (const SoftplusCase& each : kSoftplusCases)
    cases.push_back(Recipe(tier, function, each.reason, {3, 7}, each.dtype)
                        .why(each.why)
                        .option("beta", each.beta)
                        .option("threshold", each.threshold)
                        .x(alternating(each.first, each.step))
                        .make(seed));
}

}  // namespace

std::vector<Case> activation_cases(Tier tier, std::string_view function, std::uint64_t seed) {
  std::vector<Case> cases;
  if (tier != Tier::quick || !has_exponential(function)) return cases;
  add_far_tails(tier, function, seed, cases);
  if (model::is_operation_name<model::SoftplusOptions>(function))
    add_softplus_options(tier, function, seed, cases);
  return cases;
}

}  // namespace normproof::verification::golden::recipes
