#include "verification/golden/gate/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/for_each.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/planted.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::gate {

using certify::for_each;
using corpus::op_of;
using corpus::path_of;
using corpus::to_string;
using corpus::usual_accumulation;
using mutations::Sites;
using plain::run_plain;
using plain::Style;
using recipes::inputs_of;
using recipes::kCorpusSeed;
namespace {

/// A case ready to be asked many times.
struct Question {
  StoredCase stored;
  ref::model::OperationInputs inputs;
  tolerance::Tolerance bounds;
  std::vector<StoredTensor> right;  ///< the answer of the plain style
};

struct NamedStyle {
  const char* name;
  Style style;
};

constexpr NamedStyle kStyles[] = {
    {"plain", {}},
    {"sums backwards", {.sum = Style::Sum::backwards}},
    {"pairwise sums", {.sum = Style::Sum::pairwise}},
    {"strided sums", {.sum = Style::Sum::strided}},
    {"sums in double", {.sum = Style::Sum::in_double}},
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
    {"quotients and reciprocal roots 2 ulp large", {.units = 2}},
    {"quotients and reciprocal roots 2 ulp small", {.units = -2}},
    {"Welford, pairwise", {.sum = Style::Sum::pairwise, .welford = true}},
};

/// In an arithmetic of 16 bits the squares of a block's mean, or of a distance from the first
/// element, overflow where the variance does not.
std::vector<NamedStyle> styles_of(const PowerOptions& options) {
  std::vector<NamedStyle> styles;
  for (const NamedStyle& named : kStyles)
    if (!options.accumulation || !(named.style.merged || named.style.shifted))
      styles.push_back(named);
  return styles;
}

/// ", grad_x is off by 1.25 bounds"
std::string worst_of(const CaseResult& result) {
  const auto worst = std::ranges::max_element(result.tensors, {}, &TensorResult::ratio);
  if (worst == result.tensors.end()) return "";
  return fmt::format(", {} is off by {:.3g} bounds", worst->name, worst->ratio);
}

std::uint64_t seed_of(std::size_t number) {
  return kCorpusSeed + number;
}

Question question_of(const Case& c, const PowerOptions& options) {
  Sites sites;
  Question question;
  question.stored = certify::certified_case(c);
  question.inputs = inputs_of(c);
  question.bounds = tolerance::derive_tolerance(
      c, options.accumulation.value_or(usual_accumulation(c.dtype)), options.formula);
  question.right = run_plain(c, question.inputs, {}, sites);
  return question;
}

Planted planted_in(const Question& question) {
  return plant(question.stored, question.right, question.bounds);
}

/// No question outlives its answer: those of a whole tier do not fit in memory.
void plant_alone(LayerPower& power, const std::vector<Case>& cases, const PowerOptions& options) {
  power.cases = cases.size();
  std::mutex mutex;
  for_each(cases.size(), options.jobs, [&](std::size_t i) {
    const Planted planted = planted_in(question_of(cases[i], options));
    const std::lock_guard lock(mutex);
    power.planted += planted;
  });
  std::ranges::sort(power.planted.missed);
}

/// One layer under one corpus.
class Trial {
 public:
  Trial(LayerPower& power, std::vector<Question> questions, const PowerOptions& options)
      : power_(power), questions_(std::move(questions)), options_(options) {}

  void run(int jobs) {
    power_.cases = questions_.size();
    if (!right_answers_alone(options_)) list_mutations();
    const std::vector<NamedStyle> styles = styles_of(options_);
    for_each(styles.size(), jobs, [&](std::size_t i) { run_style(styles[i]); });
    if (!right_answers_alone(options_))
      for_each(questions_.size(), jobs, [&](std::size_t i) { run_planted(questions_[i]); });
    std::ranges::sort(power_.planted.missed);
    std::ranges::sort(power_.false_alarms);
    for_each(power_.verdicts.size(), jobs,
             [&](std::size_t i) { run_mutation(power_.verdicts[i]); });
  }

 private:
  void list_mutations() {
    for (const Question& question : questions_) {
      Sites sites;
      sites.list();
      run_plain(question.stored.description.c, question.inputs, {}, sites);
      for (const Mutation& mutation : sites.seen())
        if (std::ranges::find(power_.verdicts, mutation, &Verdict::mutation) ==
            power_.verdicts.end())
          power_.verdicts.push_back({mutation, 0, 0, {}, 0});
    }
  }

  void run_style(const NamedStyle& named) {
    for (const Question& question : questions_) {
      Sites sites;
      const Case& c = question.stored.description.c;
      Style style = named.style;
      style.accumulation = options_.accumulation;
      style.one_pass = options_.formula == tolerance::Formula::one_pass;
      style.folded = options_.formula == tolerance::Formula::folded;
      const CheckOptions declared{.outputs = {},
                                  .accumulation = options_.accumulation,
                                  .formula = options_.formula,
                                  .flush_subnormals = style.flushed};
      const std::vector<StoredTensor> answer = run_plain(c, question.inputs, style, sites);
      const CaseResult result =
          style.flushed ? check_case(question.stored, answer, declared)
                        : check_case(question.stored, answer, declared, question.bounds);
      const std::lock_guard lock(mutex_);
      ++power_.checks;
      if (!result.passed())
        power_.false_alarms.push_back(
            fmt::format("{}: {}{}", named.name, path_of(c), worst_of(result)));
    }
  }

  void run_planted(const Question& question) {
    const Planted planted = planted_in(question);
    const std::lock_guard lock(mutex_);
    power_.planted += planted;
  }

  void run_mutation(Verdict& verdict) {
    bool same = true;
    for (const Question& question : questions_) {
      Sites sites(verdict.mutation);
      const Case& c = question.stored.description.c;
      const std::vector<StoredTensor> answer = run_plain(c, question.inputs, {}, sites);
      if (answer == question.right) continue;
      same = false;
      const CaseResult result = check_case(question.stored, answer, {}, question.bounds);
      for (const TensorResult& tensor : result.tensors)
        verdict.closest = std::max(verdict.closest, tensor.ratio);
      if (result.passed()) continue;
      ++verdict.killed;
      if (verdict.killer.empty()) verdict.killer = path_of(c);
      return;
    }
    if (same) ++verdict.same_bits;
  }

  LayerPower& power_;
  std::vector<Question> questions_;
  const PowerOptions& options_;
  std::mutex mutex_;
};

}  // namespace

bool right_answers_alone(const PowerOptions& options) {
  return options.accumulation || options.formula != tolerance::Formula::two_pass;
}

std::size_t LayerPower::count_killed(std::size_t seeds) const {
  return static_cast<std::size_t>(std::ranges::count(verdicts, seeds, &Verdict::killed));
}

std::vector<LayerPower> measure_power(const PowerOptions& options) {
  if (options.accumulation && *options.accumulation != Accumulation::float16 &&
      *options.accumulation != Accumulation::bfloat16)
    throw ref::numeric::UsageError(fmt::format("--accumulation {}; expected float16 or bfloat16",
                                               to_string(*options.accumulation)));
  std::map<std::string, LayerPower> layers;
  std::size_t done = 0, total = 0;
  for (std::size_t number = 0; number < options.seeds; ++number) {
    std::map<std::string, std::vector<Case>> cases;
    for (Case& c : recipes::corpus(options.tier, seed_of(number), "*/" + options.only + "/*"))
      cases[op_of(c)].push_back(std::move(c));
    if (cases.empty())
      throw ref::numeric::UsageError(
          ref::numeric::unknown_name("layer", options.only, ref::model::operation_names()));
    total = cases.size() * options.seeds;
    for (const auto& entry : cases) {
      const std::string& layer = entry.first;
      const std::vector<Case>& own = entry.second;
      LayerPower& power = layers[layer];
      power.layer = layer;
      power.styles = styles_of(options).size();
      if (options.planted_alone) {
        plant_alone(power, own, options);
      } else {
        std::vector<Question> questions(own.size());
        for_each(own.size(), options.jobs,
                 [&](std::size_t i) { questions[i] = question_of(own[i], options); });
        Trial(power, std::move(questions), options).run(options.jobs);
      }
      ++done;
      if (options.finished) options.finished(layer, done, total);
    }
  }
  std::vector<LayerPower> result;
  result.reserve(layers.size());
  for (auto& [layer, power] : layers) result.push_back(std::move(power));
  return result;
}

}  // namespace normproof::verification::golden::gate
