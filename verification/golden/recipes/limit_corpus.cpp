#include "verification/golden/recipes/limit_corpus.hpp"

#include <string>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_option;
using corpus::has_state;
using corpus::has_statistics;
using corpus::needs_tokens;
using corpus::Tier;

namespace {

using Shape = std::vector<std::size_t>;

struct OptionLimit {
  const char* reason;
  const char* option;
  const char* value;
  const char* why;
};

constexpr OptionLimit kOptionLimits[] = {
    {"no_eps", "eps", "0", "an eps of 0: the root of the statistic alone"},
    {"no_group_eps", "group_eps", "0", "an eps of 0 in the root of each group"},
    {"statistics_of_the_batch", "running_decay", "0", "the old running statistics have no weight"},
    {"statistics_stay", "running_decay", "1", "the batch has no weight in the running statistics"},
    {"psi_of_the_batch", "alpha_forward", "0", "the old running psi^2 has no weight"},
    {"psi_stays", "alpha_forward", "1", "the batch has no weight in the running psi^2"},
    {"nu_of_the_batch", "alpha_backward", "0", "the whole of Gamma corrects nu"},
    {"nu_stays", "alpha_backward", "1", "nothing corrects nu"},
    {"no_rescaling", "r_max", "1", "a ratio of deviations that is held at 1"},
    {"no_shift", "d_max", "0", "a distance of means that is held at 0"},
};

Fill all(double value) {
  return [value](std::size_t, double) { return value; };
}

class LimitCases {
 public:
  LimitCases(std::string_view layer, std::uint64_t seed) : layer_(layer), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void options() {
    for (const OptionLimit& end : kOptionLimits)
      if (has_option(layer_, end.option))
        add(recipe(end.reason, rows_by_features(layer_, 7, 16))
                .why(end.why)
                .option(end.option, end.value));
  }

  void elements() {
    add(recipe("zeros_in_x", rows_by_features(layer_, 5, 12))
            .why("elements that are 0, of either sign, among others")
            .x([](std::size_t i, double normal) {
              return i % 7 == 2 ? 0.0 : i % 7 == 5 ? -0.0 : normal;
            }));
    add(recipe("gamma_0_and_negative", rows_by_features(layer_, 5, 12))
            .why("a gamma of 0 takes grad_x away, one below 0 turns it round")
            .parameter("gamma", [](std::size_t i, double) { return i % 2 == 0 ? -1.25 : 0.0; }));
    if (has_statistics(layer_)) return;
    add(recipe("alpha_0", {5, 12}).why("an alpha of 0: y is beta").parameter("alpha", all(0)));
    add(recipe("negative_alpha0", {5, 12})
            .why("without an alpha alpha0 takes its place, here below 0")
            .no_affine()
            .option("alpha0", "-0.75"));
  }

  void statistics() {
    if (!has_state(layer_)) return;
    add(recipe("statistics_of_0", {5, 12})
            .why("running statistics of 0: eps alone keeps the root away from 0")
            .x(scaled_by(1e-3))
            .state("running_variance", all(0))
            .state("running_psi2", all(0))
            .inference());
  }

  void extents() {
    if (!needs_tokens(layer_)) return;
    add(recipe("single_token", {1, 1, 6}).why("one sample of one token"));
    add(recipe("many_samples", {130, 2, 3}).why("more samples than four warps have threads"));
  }

 private:
  Recipe recipe(const char* reason, Shape shape) const {
    return norm_recipe(Tier::standard, layer_, reason, std::move(shape), DType::float32);
  }
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  std::string_view layer_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> limit_cases(std::string_view layer, std::uint64_t seed) {
  LimitCases cases(layer, seed);
  cases.options();
  cases.elements();
  cases.statistics();
  cases.extents();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
