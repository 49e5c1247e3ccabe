#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "ref/model/operation.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ref::model::Operation;
using ref::tensor::NamedTensors;

/// The name of an operation and of one of its options.
using OptionOfOperation = std::pair<std::string, std::string>;

/// Returns values of an option that differ from `value`. Values that the option refuses are among
/// them.
std::vector<std::string> other_values(const std::string& value) {
  static const std::vector<std::string> candidates = {
      "true",           "false",    "0.375",   "2",   "before_gamma", "bfloat16",
      "channels_first", "outside",  "gelu",    "pre", "post",         "per_position",
      "masked_mean",    "rms_norm", "0",       "1",   "top_left",     "after",
      "before",         "silu",     "sigmoid", "sum", "none"};
  std::vector<std::string> others;
  for (const std::string& other : candidates)
    if (other != value) others.push_back(other);
  return others;
}

bool has_same_bits(const NamedTensors<double>& a, const NamedTensors<double>& b) {
  std::map<std::string, const ref::tensor::Tensor<double>*> others;
  for (const auto& [name, values] : b) others[name] = &values;
  std::size_t count = 0;
  for (const auto& [name, values] : a) {
    ++count;
    const auto other = others.find(name);
    if (other == others.end() ||
        ref::tensor::shape_of(*other->second) != ref::tensor::shape_of(values))
      return false;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::bit_cast<std::uint64_t>(values.data()[i]) !=
          std::bit_cast<std::uint64_t>(other->second->data()[i]))
        return false;
  }
  return count == others.size();
}

/// Returns the outputs of a case in `double`. Elements that are not finite are replaced.
NamedTensors<double> evaluate(const Case& c) {
  checks::evaluation::EvalInputs inputs = inputs_of(c, corpus::case_folder(c));
  certify::replace_not_finite(inputs, c, certify::kReplacements);
  return checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
}

/// Whether an option cannot have an effect: the model only infers, or takes its first step, in
/// which an average over the steps so far is the mean of the batch.
bool cannot_have_an_effect(const OptionOfOperation& option) {
  static const std::set<OptionOfOperation> kWithoutEffect = {
      {"decoding", "norm.alpha_backward"},
      {"decoding", "norm.warmup_iterations"},
      {"encoder", "norm.cumulative_warmup_average"},
      {"encoder_layer", "norm.cumulative_warmup_average"}};
  return kWithoutEffect.contains(option);
}

bool needs_companion(const std::string& option) {
  return option.ends_with("cast_order") || option == "mask_corner";
}

/// Sets the option without which another one has no effect by its definition: a cast to float64 is
/// no cast, and without a mask there is no corner.
Case with_companion(Case c, const std::string& option) {
  if (option == "mask_corner") ref::model::set_option(c.options, "causal", "true");
  constexpr std::string_view kCastOrder = "cast_order";
  if (option.ends_with(kCastOrder))
    ref::model::set_option(
        c.options, option.substr(0, option.size() - kCastOrder.size()) + "storage", "bfloat16");
  return c;
}

/// Whether a case with one option changed has other outputs than `results`, or is refused. A value
/// that the option cannot have says nothing.
bool has_effect(Case c, const NamedTensors<double>& results, const std::string& option,
                const std::string& value) {
  try {
    ref::model::set_option(c.options, option, value);
  } catch (const ref::numeric::UsageError&) {
    return false;
  }
  try {
    return !has_same_bits(results, evaluate(c));
  } catch (const std::exception&) {
    return true;
  }
}

// A value that is ignored without a word is the worst answer to an option.
TEST(OptionsOfOperations, EachHasAnEffectInSomeCaseOfTheCorpus) {
  std::set<OptionOfOperation> silent, effective;
  for (const Case& c : corpus(Tier::quick)) {
    const std::string name = corpus::case_operation_name(c);
    std::vector<OptionOfOperation> open;
    for (const auto& [option, value] : ref::model::list_all_options(c.options))
      if (!effective.contains({name, option})) open.emplace_back(option, value);
    if (open.empty()) continue;
    const auto results = evaluate(c);
    for (const OptionOfOperation& each : open) {
      const std::string &option = each.first, &value = each.second;
      const Case usable = with_companion(c, option);
      const auto changed = [&](const std::string& other) {
        return has_effect(usable, needs_companion(option) ? evaluate(usable) : results, option,
                          other);
      };
      if (std::ranges::any_of(other_values(value), changed)) effective.insert({name, option});
      silent.insert({name, option});
    }
  }
  EXPECT_GT(silent.size(), 60u);
  for (const auto& [operation, option] : silent)
    EXPECT_NE(effective.contains({operation, option}), cannot_have_an_effect({operation, option}))
        << operation << " and its option " << option;
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
