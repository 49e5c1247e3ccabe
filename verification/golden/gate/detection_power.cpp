#include "verification/golden/gate/detection_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/operation_error.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/value_injection.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::gate {

using certify::for_each_in_parallel;
using corpus::case_folder;
using corpus::case_operation_name;
using corpus::to_string;
using corpus::usual_accumulation;
using mutations::Sites;
using plain::run_plain;
using plain::Style;
using recipes::inputs_of;
using recipes::kCorpusSeed;
namespace {

/// A case with its expected outputs and error bounds. They are computed once, because the case is
/// run many times.
struct PreparedCase {
  StoredCase stored;
  ref::model::OperationInputs inputs;
  tolerance::Tolerance bounds;
  /// The outputs of the correct implementation in the default style.
  std::vector<StoredTensor> right;
};

struct NamedStyle {
  const char* name;
  Style style;
};

constexpr int kStyleUlps = static_cast<int>(ref::numeric::kMaxOperationUlps);
static_assert(kStyleUlps == 2, "the names of two styles say 2 ulp");

/// Some of the styles round the scales of blocks in another way, which is declared.
constexpr NamedStyle kStyles[] = {
    {"plain", {}},
    {"sums backwards", {.sum = Style::Sum::backwards, .scale_rounding = corpus::ScaleRounding::up}},
    {"pairwise sums",
     {.sum = Style::Sum::pairwise, .scale_rounding = corpus::ScaleRounding::nearest}},
    {"strided sums", {.sum = Style::Sum::strided, .scale_rounding = corpus::ScaleRounding::even}},
    {"sums in double",
     {.sum = Style::Sum::in_double, .scale_rounding = corpus::ScaleRounding::ceil}},
    {"Welford", {.welford = true}},
    {"times 1/n", {.reciprocal = true}},
    {"divided by the root", {.divide = true}},
    {"powers for exponentials and products", {.powers = true}},
    {"backward from the stored y", {.from_y = true}},
    {"two-stage sums", {.sum = Style::Sum::two_stages}},
    {"Welford in blocks, merged", {.welford = true, .merged = true}},
    {"shifted one-pass", {.shifted = true}},
    {"fused multiply-add", {.fused = true}},
    {"subnormal numbers flushed", {.flushed = true}},
    {"quotients and reciprocal roots 2 ulp large", {.units = kStyleUlps}},
    {"quotients and reciprocal roots 2 ulp small", {.units = -kStyleUlps}},
    {"Welford, pairwise", {.sum = Style::Sum::pairwise, .welford = true}},
};

/// Returns the styles that are correct in the chosen arithmetic. Some styles square the mean of a
/// block, or the distances from the first element. In 16-bit arithmetic, these squares can overflow
/// although the variance does not. Such styles are then excluded.
std::vector<NamedStyle> list_correct_styles(const DetectionPowerOptions& options) {
  std::vector<NamedStyle> styles;
  for (const NamedStyle& named : kStyles)
    if (!options.accumulation || !(named.style.merged || named.style.shifted))
      styles.push_back(named);
  return styles;
}

/// Returns a text such as ", grad_x is off by 1.25 bounds".
std::string describe_worst_output(const CaseResult& result) {
  const auto worst = std::ranges::max_element(result.tensors, {}, &TensorResult::ratio);
  if (worst == result.tensors.end()) return "";
  return fmt::format(", {} is off by {:.3g} bounds", worst->name, worst->ratio);
}

std::uint64_t corpus_seed(std::size_t number) {
  return kCorpusSeed + number;
}

PreparedCase prepare_case(const Case& c, const DetectionPowerOptions& options) {
  Sites sites;
  PreparedCase prepared;
  prepared.stored = certify::certify_case(c);
  prepared.inputs = inputs_of(c);
  prepared.bounds = tolerance::derive_tolerance(
      c, prepared.inputs, options.accumulation.value_or(usual_accumulation(c.dtype)),
      options.formula);
  prepared.right = run_plain(c, prepared.inputs, {}, sites);
  return prepared;
}

InjectionResult inject_errors_into_case(const PreparedCase& prepared) {
  return inject_values(prepared.stored, prepared.right, prepared.bounds);
}

/// Injects values into the outputs of each case. Each prepared case is freed before the next one,
/// because the prepared cases of a whole tier do not fit in memory.
void measure_injection(LayerDetectionPower& power, const std::vector<Case>& cases,
                       const DetectionPowerOptions& options) {
  power.cases = cases.size();
  std::mutex mutex;
  for_each_in_parallel(cases.size(), options.jobs, [&](std::size_t i) {
    const InjectionResult planted = inject_errors_into_case(prepare_case(cases[i], options));
    const std::lock_guard lock(mutex);
    power.planted += planted;
  });
  std::ranges::sort(power.planted.missed);
}

/// Runs all implementations of one layer on one corpus: those with an injected error (mutations)
/// and the correct ones (styles).
class PowerTrial {
 public:
  PowerTrial(LayerDetectionPower& power, std::vector<PreparedCase> prepared_cases,
             const DetectionPowerOptions& options)
      : power_(power), prepared_cases_(std::move(prepared_cases)), options_(options) {}

  void run(int jobs) {
    power_.cases = prepared_cases_.size();
    if (!measures_only_false_alarms(options_)) list_mutations();
    const std::vector<NamedStyle> styles = list_correct_styles(options_);
    for_each_in_parallel(styles.size(), jobs, [&](std::size_t i) { run_style(styles[i]); });
    if (!measures_only_false_alarms(options_))
      for_each_in_parallel(prepared_cases_.size(), jobs,
                           [&](std::size_t i) { run_injection(prepared_cases_[i]); });
    std::ranges::sort(power_.planted.missed);
    std::ranges::sort(power_.false_alarms);
    for_each_in_parallel(power_.verdicts.size(), jobs,
                         [&](std::size_t i) { run_mutation(power_.verdicts[i]); });
  }

 private:
  void list_mutations() {
    for (const PreparedCase& prepared : prepared_cases_) {
      Sites sites;
      sites.list();
      run_plain(prepared.stored.description.c, prepared.inputs, {}, sites);
      for (const Mutation& mutation : sites.seen())
        if (std::ranges::find(power_.verdicts, mutation, &MutationVerdict::mutation) ==
            power_.verdicts.end())
          power_.verdicts.push_back({.mutation = mutation});
    }
  }

  void run_style(const NamedStyle& named) {
    for (const PreparedCase& prepared : prepared_cases_) {
      Sites sites;
      const Case& c = prepared.stored.description.c;
      Style style = named.style;
      style.accumulation = options_.accumulation;
      style.one_pass = options_.formula == tolerance::Formula::one_pass;
      style.folded = options_.formula == tolerance::Formula::folded;
      const CheckOptions declared{.outputs = {},
                                  .accumulation = options_.accumulation,
                                  .formula = options_.formula,
                                  .scale_rounding = style.scale_rounding,
                                  .flush_subnormals = style.flushed};
      const std::vector<StoredTensor> answer = run_plain(c, prepared.inputs, style, sites);
      const bool has_own_bounds =
          style.flushed || (style.scale_rounding != corpus::ScaleRounding::floor &&
                            corpus::output_scaling(c, "y") == corpus::OutputScaling::blocks);
      const CaseResult result =
          has_own_bounds ? check_case(prepared.stored, answer, declared)
                         : check_case(prepared.stored, answer, declared, prepared.bounds);
      const std::lock_guard lock(mutex_);
      ++power_.checks;
      if (!result.passed())
        power_.false_alarms.push_back(
            fmt::format("{}: {}{}", named.name, case_folder(c), describe_worst_output(result)));
    }
  }

  void run_injection(const PreparedCase& prepared) {
    const InjectionResult planted = inject_errors_into_case(prepared);
    const std::lock_guard lock(mutex_);
    power_.planted += planted;
  }

  void run_mutation(MutationVerdict& verdict) {
    bool same = true;
    for (const PreparedCase& prepared : prepared_cases_) {
      Sites sites(verdict.mutation);
      const Case& c = prepared.stored.description.c;
      const std::vector<StoredTensor> answer = run_plain(c, prepared.inputs, {}, sites);
      if (answer == prepared.right) continue;
      same = false;
      const CaseResult result = check_case(prepared.stored, answer, {}, prepared.bounds);
      for (const TensorResult& tensor : result.tensors)
        verdict.closest = std::max(verdict.closest, tensor.ratio);
      if (result.passed()) continue;
      ++verdict.killed;
      if (verdict.killer.empty()) verdict.killer = case_folder(c);
      return;
    }
    if (same) ++verdict.same_bits;
  }

  LayerDetectionPower& power_;
  std::vector<PreparedCase> prepared_cases_;
  const DetectionPowerOptions& options_;
  std::mutex mutex_;
};

}  // namespace

bool measures_only_false_alarms(const DetectionPowerOptions& options) {
  return options.accumulation || options.formula != tolerance::Formula::two_pass;
}

std::size_t LayerDetectionPower::count_killed_mutations(std::size_t seeds) const {
  return static_cast<std::size_t>(std::ranges::count(verdicts, seeds, &MutationVerdict::killed));
}

std::vector<LayerDetectionPower> measure_detection_power(const DetectionPowerOptions& options) {
  if (options.accumulation && *options.accumulation != Accumulation::float16 &&
      *options.accumulation != Accumulation::bfloat16)
    throw ref::numeric::UsageError(fmt::format("--accumulation {}; expected float16 or bfloat16",
                                               to_string(*options.accumulation)));
  std::map<std::string, LayerDetectionPower> layers;
  std::size_t done = 0, total = 0;
  for (std::size_t number = 0; number < options.seeds; ++number) {
    std::map<std::string, std::vector<Case>> cases;
    for (Case& c : recipes::corpus(options.tier, corpus_seed(number), "*/" + options.only + "/*"))
      cases[case_operation_name(c)].push_back(std::move(c));
    if (cases.empty())
      throw ref::numeric::UsageError(
          ref::numeric::unknown_name("layer", options.only, ref::model::operation_names()));
    total = cases.size() * options.seeds;
    for (const auto& entry : cases) {
      const std::string& layer = entry.first;
      const std::vector<Case>& layer_cases = entry.second;
      LayerDetectionPower& power = layers[layer];
      power.layer = layer;
      power.styles = list_correct_styles(options).size();
      if (options.inject_only) {
        measure_injection(power, layer_cases, options);
      } else {
        std::vector<PreparedCase> prepared_cases(layer_cases.size());
        for_each_in_parallel(layer_cases.size(), options.jobs, [&](std::size_t i) {
          prepared_cases[i] = prepare_case(layer_cases[i], options);
        });
        PowerTrial(power, std::move(prepared_cases), options).run(options.jobs);
      }
      ++done;
      if (options.finished) options.finished(layer, done, total);
    }
  }
  std::vector<LayerDetectionPower> result;
  result.reserve(layers.size());
  for (auto& [layer, power] : layers) result.push_back(std::move(power));
  return result;
}

}  // namespace normproof::verification::golden::gate
