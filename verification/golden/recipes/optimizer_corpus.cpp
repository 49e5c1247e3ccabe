#include "verification/golden/recipes/optimizer_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/checks/evaluation/optimizers.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::output_dtype;
using corpus::StoredTensor;
using corpus::Tier;

namespace {

/// The description of one case of an optimizer: its shape, its steps, and how it differs from an
/// ordinary case.
struct OptimizerRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::vector<std::size_t> shape = {3, 5};
  std::size_t steps = 3;  ///< if 0, a single step without an axis of steps
  double iterations = 7;  ///< number of earlier steps; if 0, the moments are 0
  bool exact = false;
  /// The functions that compute the elements of tensors, by name of the tensor. Other tensors have
  /// their usual elements.
  std::vector<std::pair<std::string, Fill>> fills = {};
};

class OptimizerCases {
 public:
  OptimizerCases(Tier tier, std::string_view optimizer, std::uint64_t seed)
      : tier_(tier),
        optimizer_(optimizer),
        seed_(seed),
        adam_(!ref::model::is_operation_name<ref::model::SgdOptions>(optimizer)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : {DType::float64, DType::float32}) {
      add({.reason = "random",
           .why = "state of seven steps: what is carried, and by what weight",
           .options = ordinary_settings(),
           .dtype = dtype});
      add({.reason = "first_steps",
           .why = "from no state: the bias corrections are farthest from 1",
           .options = ordinary_settings(),
           .dtype = dtype,
           .steps = 5,
           .iterations = 0});
      add({.reason = "slow_decay",
           .why = "weights of the old moments near 1: old and new weight swapped shows",
           .options = settings_with_low_learning_rate(),
           .dtype = dtype});
    }
    add({.reason = "single_step",
         .why = "one step, without an axis of steps",
         .options = ordinary_settings(),
         .steps = 0});
    add({.reason = "one_element",
         .why = "a parameter of one element",
         .options = ordinary_settings(),
         .dtype = DType::float32,
         .shape = {1}});
    add({.reason = "odd",
         .why = "odd extents, no multiple of any vector or warp",
         .options = ordinary_settings(),
         .dtype = DType::float32,
         .shape = {13, 17},
         .steps = 2});
    add({.reason = "sparse_gradient",
         .why = "gradients of 0: what is carried moves the parameter still",
         .options = ordinary_settings(),
         .dtype = DType::float32,
         .steps = 4,
         .fills = {{"grad_parameter",
                    [](std::size_t i, double normal) { return i % 3 == 0 ? normal : 0.0; }}}});
    if (adam_)
      moments();
    else
      add_sgd_cases();
    for (const DType dtype : {DType::bfloat16, DType::float16}) low_precision_cases(dtype);
    add_vector_case(DType::bfloat16, {72});
    add_subnormal_gradient_cases();
  }

  void standard() {
    for (const DType dtype : {DType::float64, DType::float32}) {
      for (const char* name : {"a", "b", "c"})
        add({.reason = std::string("random_") + name,
             .why = "random state and gradients of another seed",
             .options = ordinary_settings(),
             .dtype = dtype,
             .shape = {9, 30},
             .steps = 4});
      add({.reason = "wide",
           .why = "more elements in a row than a block has threads",
           .options = settings_with_low_learning_rate(),
           .dtype = dtype,
           .shape = {2, 1026}});
      add({.reason = "three_axes",
           .why = "a parameter of three axes, as of a convolution",
           .options = ordinary_settings(),
           .dtype = dtype,
           .shape = {3, 5, 7}});
      for (const char* option : {"learning_rate", "beta1", "beta2"})
        if (adam_ || option == std::string_view("learning_rate")) add_case_without(option, dtype);
      if (ref::model::is_operation_name<ref::model::AdamWOptions>(optimizer_))
        add_case_without("weight_decay", dtype);
      add({.reason = "many_steps",
           .why = "50 steps from no state: errors add up, and corrections go to 1",
           .options = ordinary_settings(),
           .dtype = dtype,
           .shape = {7},
           .steps = 50,
           .iterations = 0});
    }
    for (const std::size_t edge : kBlockEdges)
      add({.reason = "block_elements",
           .why = "as many elements as a block has, one less or one more",
           .options = ordinary_settings(),
           .dtype = DType::float32,
           .shape = {edge},
           .steps = 0});
    for (const DType dtype : {DType::bfloat16, DType::float16})
      for (const std::size_t elements : {1032, 4104}) add_vector_case(dtype, {elements});
  }

  void full() {
    for (const DType dtype : {DType::float64, DType::float32})
      add({.reason = "past_65535_rows",
           .why = "more rows than the y and z extents of a CUDA grid: the last ones are forgotten",
           .options = ordinary_settings(),
           .dtype = dtype,
           .shape = {65537, 2},
           .steps = 2});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "past_2_to_20_elements",
           .why = "more than 2^20 elements: a grid of 1024 blocks of 1024 threads ends before them",
           .options = ordinary_settings(),
           .dtype = dtype,
           .shape = {1025, 1024},
           .steps = 0});
  }

 private:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  /// Returns the options of an ordinary case. They are far from every neutral value and from each
  /// other.
  Settings ordinary_settings() const {
    if (!adam_) return {{"momentum", "0.75"}, {"learning_rate", "0.125"}};
    Settings settings = {
        {"beta1", "0.75"}, {"beta2", "0.9375"}, {"eps", "0.0625"}, {"learning_rate", "0.125"}};
    if (ref::model::is_operation_name<ref::model::AdamWOptions>(optimizer_))
      settings.emplace_back("weight_decay", "0.5");
    return settings;
  }
  Settings settings_with_low_learning_rate() const {
    if (!adam_) return {{"momentum", "0.96875"}, {"learning_rate", "0.01"}};
    return {{"learning_rate", "0.01"}};
  }

  /// Adds a case with one option set to 0.
  void add_case_without(const std::string& option, DType dtype) {
    Settings settings = ordinary_settings();
    std::ranges::find(settings, option, &Settings::value_type::first)->second = "0";
    add({.reason = fmt::format("no_{}", option),
         .why = fmt::format("a {} of 0", option),
         .options = std::move(settings),
         .dtype = dtype});
  }

  void add_sgd_cases() {
    for (const DType dtype : {DType::float64, DType::float32}) {
      add({.reason = "without_momentum",
           .why = "the gradient alone; there is no velocity",
           .options = {{"learning_rate", "0.125"}},
           .dtype = dtype});
      add({.reason = "exact",
           .why = "halves and quarters: any correct implementation gives the same bits",
           .options = {{"momentum", "0.5"}, {"learning_rate", "0.25"}},
           .dtype = dtype,
           .exact = true,
           .fills = {{"parameter", halves}, {"grad_parameter", halves}, {"velocity", halves}}});
    }
    add({.reason = "magnitude_1e12",
         .why = "large gradients and a small rate",
         .options = {{"momentum", "0.75"}, {"learning_rate", "1e-12"}},
         .dtype = DType::float32,
         .fills = {{"grad_parameter", scaled(1e12)}, {"velocity", scaled(1e12)}}});
  }

  void moments() {
    add({.reason = "default_options",
         .why = "the rates of the papers, from no state",
         .options = {{"learning_rate", "0.001"}},
         .dtype = DType::float32,
         .steps = 4,
         .iterations = 0});
    for (const DType dtype : {DType::float64, DType::float32})
      add({.reason = "gradients_near_eps",
           .why = "gradients as small as eps: inside the root or before the correction it is "
                  "another number",
           .options = {{"learning_rate", "0.125"}},
           .dtype = dtype,
           .fills = {{"grad_parameter", scaled(1e-8)},
                     {"first_moment", scaled(1e-8)},
                     {"second_moment",
                      [](std::size_t i, double normal) { return 1e-16 * positive(i, normal); }}}});
    add({.reason = "large_eps",
         .why = "eps beside the root: where it is added can be told",
         .options = {{"eps", "0.5"}, {"learning_rate", "0.25"}}});
    add({.reason = "after_a_thousand_steps",
         .why = "the correction of the first moment is 1 there, that of the second is not",
         .options = {{"learning_rate", "0.01"}},
         .iterations = 1000});
    add({.reason = "falling_gradients",
         .why = "a second moment that falls: the largest so far is another one",
         .options = ordinary_settings(),
         .steps = 4,
         .fills = {{"grad_parameter", [](std::size_t i, double normal) {
                      return normal / static_cast<double>(std::size_t{1} << (2 * (i / 15)));
                    }}}});
    add({.reason = "magnitude_1e12",
         .why = "large gradients whose squares fit float32, and overflow float16",
         .options = {{"learning_rate", "0.125"}},
         .dtype = DType::float32,
         .fills = {{"grad_parameter", scaled(1e12)},
                   {"first_moment", scaled(1e12)},
                   {"second_moment",
                    [](std::size_t i, double normal) { return 1e24 * positive(i, normal); }}}});
    if (ref::model::is_operation_name<ref::model::AdamWOptions>(optimizer_)) add_decays();
  }

  void add_decays() {
    add({.reason = "large_decay",
         .why = "the decay of a parameter far from 0 beside a small step",
         .options = {{"weight_decay", "4"}, {"learning_rate", "0.125"}, {"eps", "0.0625"}},
         .fills = {{"parameter", scaled(32)}}});
    for (const DType dtype : {DType::float64, DType::float32})
      add({.reason = "decay_beside_large_steps",
           .why = "a usual decay of large parameters beside steps of the learning rate",
           .options = {{"weight_decay", "0.1"}, {"learning_rate", "0.01"}},
           .dtype = dtype,
           .iterations = 0,
           .fills = {{"parameter", scaled(8)}}});
    for (const DType dtype : {DType::bfloat16, DType::float16})
      add({.reason = "decay_of_large_parameters",
           .why = "a decay far above the last digit of a 16-bit parameter",
           .options = {{"weight_decay", "2"}, {"learning_rate", "0.125"}, {"eps", "0.0625"}},
           .dtype = dtype,
           .steps = 0,
           .fills = {{"parameter", scaled(32)}}});
  }

  /// Adds 16-bit cases. They have a single step, because a 16-bit parameter is rounded after each
  /// step.
  void low_precision_cases(DType dtype) {
    const auto one_step = [&](OptimizerRecipe recipe) {
      recipe.dtype = dtype;
      recipe.steps = 0;
      add(recipe);
    };
    one_step({.reason = "single_step",
              .why = "a parameter and a gradient of 16 bits, moments of float32",
              .options = ordinary_settings()});
    one_step({.reason = "first_steps",
              .why = "from no state: the bias corrections are farthest from 1",
              .options = ordinary_settings(),
              .iterations = 0});
    one_step({.reason = "slow_decay",
              .why = "weights of the old moments near 1: in 16 bits a moment stands still",
              .options = settings_with_low_learning_rate(),
              .shape = {5, 7}});
    one_step({.reason = "large_gradients",
              .why = "gradients whose squares overflow float16: moments of float32 hold them",
              .options = ordinary_settings(),
              .fills = {{"grad_parameter", scaled(9e3)},
                        {"velocity", scaled(9e3)},
                        {"first_moment", scaled(9e3)},
                        {"second_moment",
                         [](std::size_t i, double normal) { return 8e7 * positive(i, normal); }}}});
  }

  /// Adds a case of a single step whose parameter consists of whole vectors of 16 bytes.
  void add_vector_case(DType dtype, std::vector<std::size_t> shape) {
    add({.reason = "whole_vectors",
         .why = "more elements than the vectors of a thread hold, in 16 bits",
         .options = ordinary_settings(),
         .dtype = dtype,
         .shape = std::move(shape),
         .steps = 0});
  }

  void add_subnormal_gradient_cases() {
    const Fill tiny = scaled(0x1p-17);
    add({.reason = "subnormal_16_bits",
         .why = "gradients that are subnormal in float16, and normal in the arithmetic",
         .options = settings_with_low_learning_rate(),
         .dtype = DType::float16,
         .steps = 0,
         .fills = {{"parameter", adam_ ? scaled(1) : tiny},
                   {"grad_parameter", tiny},
                   {"velocity", tiny},
                   {"first_moment", tiny},
                   {"second_moment",
                    [](std::size_t i, double normal) { return 0x1p-34 * positive(i, normal); }}}});
  }

  static Fill scaled(double factor) {
    return [factor](std::size_t, double normal) { return factor * normal; };
  }
  static double halves(std::size_t i, double) { return static_cast<double>(i * 5 % 8) / 2 - 1.5; }

  void add(const OptimizerRecipe& recipe) {
    Case c;
    c.tier = tier_;
    c.reason = recipe.reason;
    c.why = recipe.why;
    c.options = ref::model::operation(optimizer_);
    for (const auto& [name, value] : recipe.options) ref::model::set_option(c.options, name, value);
    c.dtype = recipe.dtype;
    c.sequence = recipe.steps > 0;
    c.exact = recipe.exact;
    const auto& optimizer = std::get<ref::model::OptimizerOperation>(c.options).optimizer;
    std::vector<std::size_t> stacked = recipe.shape;
    if (c.sequence) stacked.insert(stacked.begin(), recipe.steps);
    add_input(c, recipe, "parameter", recipe.shape, scaled(1));
    add_input(c, recipe, "grad_parameter", stacked, scaled(1));
    for (const std::string& moment : checks::evaluation::moment_names(optimizer))
      add_input(c, recipe, moment, recipe.shape,
                recipe.iterations == 0      ? scaled(0)
                : moment == "second_moment" ? positive
                                            : scaled(0.5));
    const std::vector<double> done = {recipe.iterations};
    c.inputs.push_back(ref::io::make_tensor("iterations", DType::int64, {1}, done));
    std::ranges::sort(c.inputs, {}, &StoredTensor::name);
    cases_.push_back(std::move(c));
  }

  void add_input(Case& c, const OptimizerRecipe& recipe, const std::string& name,
                 const std::vector<std::size_t>& shape, const Fill& usual) const {
    const auto own = std::ranges::find(recipe.fills, name, &std::pair<std::string, Fill>::first);
    c.inputs.push_back(filled_tensor(c, name, shape, output_dtype(c.dtype, name),
                                     own == recipe.fills.end() ? usual : own->second, seed_));
  }

  Tier tier_;
  std::string_view optimizer_;
  std::uint64_t seed_;
  bool adam_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> optimizer_cases(Tier tier, std::string_view optimizer, std::uint64_t seed) {
  OptimizerCases cases(tier, optimizer, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  if (tier == Tier::full) cases.full();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
