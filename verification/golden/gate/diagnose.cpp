#include "verification/golden/gate/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/gate/agreeing_mutations.hpp"
#include "verification/golden/gate/error_location.hpp"
#include "verification/golden/gate/less_accurate_classes.hpp"
#include "verification/golden/gate/option_suggestions.hpp"
#include "verification/golden/gate/row_sample.hpp"
#include "verification/golden/gate/simple_answers.hpp"

namespace normproof::verification::golden::gate {

using corpus::main_input;
using corpus::usual_accumulation;

namespace {

/// The largest number of bytes of x for which mutations are tried if no rows can be sampled. The
/// run of one mutation on a larger case already takes as long as the verdict.
constexpr std::size_t kMaxBytes = 160'000;
constexpr std::size_t kMaxDiagnoses = 3;

/// Describes where the wrong elements are: "no known mistake; wrong: y in the last row; grad_x in
/// every element".
std::vector<Diagnosis> locate_errors(const std::vector<FailingOutput>& failing,
                                     bool tried_every_mistake) {
  std::vector<std::string> places;
  places.reserve(failing.size());
  for (const FailingOutput& f : failing)
    places.push_back(fmt::format("{} in {}", f.name, describe_error_location(f.failed, f.shape)));
  return {{.what = fmt::format("no known mistake{}; wrong: {}",
                               tried_every_mistake ? "" : " among those tried on so large a case",
                               fmt::join(places, "; ")),
           .kind = Diagnosis::Kind::place}};
}

/// Whether the explanation is a mistake in rounding that the bound of a less accurate formula
/// includes, so that this formula is no other explanation.
bool is_inaccurate_formula(const mutations::Mutation& mutation) {
  return mutation.op == mutations::MutationOperator::one_pass;
}

/// Removes the outputs that have a name from `failing`.
void remove_named_outputs(const std::vector<Diagnosis>& named,
                          std::vector<FailingOutput>& failing) {
  std::erase_if(failing, [&](const FailingOutput& f) {
    return std::ranges::any_of(named, [&](const Diagnosis& diagnosis) {
      return std::ranges::find(diagnosis.outputs, f.name) != diagnosis.outputs.end();
    });
  });
}

/// Returns the explanations by mutations. If the errors are also within the bound of a less
/// accurate formula of the norm, that formula is returned instead, since its rounding errors can
/// look like a small mistake.
std::vector<Diagnosis> explain_by_mutations(const StoredCase& stored,
                                            const std::vector<StoredTensor>& answer,
                                            const CaseResult& result,
                                            std::vector<AgreeingMutation> found) {
  if (found.empty()) return {};
  if (!is_inaccurate_formula(found.front().mutation)) {
    std::vector<Diagnosis> formulas = diagnose_less_accurate_formulas(stored, answer, result);
    if (!formulas.empty() && formulas.front().bounded) return formulas;
  }
  std::vector<Diagnosis> closest;
  for (AgreeingMutation& each : found)
    if (closest.size() < kMaxDiagnoses) closest.push_back(std::move(each.diagnosis));
  return closest;
}

/// The explanations of outputs, and whether every known mistake was tried.
struct Explained {
  std::vector<Diagnosis> found;
  bool tried_every_mistake = false;
};

/// Explains the outputs `failing`, none of which is a simple answer.
Explained explain_by_known_causes(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                  const CaseResult& result, const CheckOptions& options,
                                  const std::vector<FailingOutput>& failing,
                                  const std::vector<FailingOutput>& passing,
                                  const EarlierCases& earlier) {
  std::vector<Diagnosis> found = diagnose_usual_precision(stored, answer, result, options);
  if (!found.empty()) return {std::move(found)};
  const StoredTensor* const x = main_input(stored.description.c);
  MutationSearch search{.is_complete = false};
  if (x == nullptr || x->bytes.size() <= kMaxBytes)
    search = find_agreeing_mutations(stored, failing, search_work_limit(result), passing, earlier,
                                     {.scale_rounding = options.scale_rounding});
  found = explain_by_mutations(stored, answer, result, std::move(search.found));
  if (found.empty()) found = suggest_flushing(stored, answer, result, options);
  if (found.empty()) found = diagnose_less_accurate_formulas(stored, answer, result);
  // A mistake that was not tried may be the cause of an error of this size.
  if (found.empty() && search.is_complete) found = diagnose_lower_precision(stored, answer, result);
  return {std::move(found), search.is_complete};
}

tolerance::Tolerance usual_tolerance(const Case& c, const CheckOptions& options) {
  const bool is_usual = !options.accumulation && options.formula == tolerance::Formula::two_pass &&
                        !options.flush_subnormals;
  return tolerance_for_options(
      c, is_usual ? options : CheckOptions{.scale_rounding = options.scale_rounding});
}

/// Returns the outputs that failed in a sample, without those that have a simple answer in the
/// whole case. `bounds` are those of the sample.
std::vector<FailingOutput> failing_outputs_of_sample(const RowSample& sample,
                                                     const CaseResult& result,
                                                     const tolerance::Tolerance& bounds,
                                                     const std::vector<FailingOutput>& failing) {
  std::vector<FailingOutput> own = failing_outputs(sample.stored, sample.answer, result, bounds);
  std::erase_if(own, [&](const FailingOutput& f) {
    return std::ranges::find(failing, f.name, &FailingOutput::name) == failing.end();
  });
  return own;
}

/// Explains the outputs of a case by some of its rows, if it is large, or by the whole case.
Explained explain_without_simple_answers(const StoredCase& stored,
                                         const std::vector<StoredTensor>& answer,
                                         const CaseResult& result, const CheckOptions& options,
                                         const std::vector<FailingOutput>& failing,
                                         const std::vector<FailingOutput>& passing,
                                         const EarlierCases& earlier) {
  const std::optional<RowSample> sample = sample_failing_rows(stored, answer, result);
  if (!sample)
    return explain_by_known_causes(stored, answer, result, options, failing, passing, earlier);
  const CaseResult of_rows = check_case(sample->stored, sample->answer, options);
  const tolerance::Tolerance bounds = usual_tolerance(sample->stored.description.c, options);
  const std::vector<FailingOutput> own =
      failing_outputs_of_sample(*sample, of_rows, bounds, failing);
  if (own.empty()) return {};
  Explained explained = explain_by_known_causes(
      sample->stored, sample->answer, of_rows, options, own,
      passing_outputs(sample->stored, sample->answer, of_rows, bounds), earlier);
  explained.tried_every_mistake = false;  // none that mixes rows
  return explained;
}

/// Whether every element that failed is 0, as a flushed number is.
bool are_failures_zero(const std::vector<FailingOutput>& failing) {
  return std::ranges::all_of(failing, [](const FailingOutput& f) {
    return std::ranges::all_of(f.failed, [&](std::size_t i) { return f.got[i] == 0; });
  });
}

}  // namespace

std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result, const CheckOptions& options,
                                const EarlierCases& earlier) {
  return diagnose(stored, answer, result, options, usual_tolerance(stored.description.c, options),
                  earlier);
}

std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result, const CheckOptions& options,
                                const tolerance::Tolerance& bounds, const EarlierCases& earlier) {
  const Case& c = stored.description.c;
  std::vector<FailingOutput> failing = failing_outputs(stored, answer, result, bounds);
  if (failing.empty()) return {};
  if (std::vector<Diagnosis> options_with_pass = suggest_options(stored, answer, result, options);
      !options_with_pass.empty())
    return options_with_pass;
  std::vector<Diagnosis> found;
  if (are_failures_zero(failing)) found = suggest_flushing(stored, answer, result, options);
  if (!found.empty()) return found;
  found = name_simple_answers(c, failing);
  remove_named_outputs(found, failing);
  if (failing.empty()) return found;
  const std::vector<FailingOutput> passing = passing_outputs(stored, answer, result, bounds);
  Explained explained =
      explain_without_simple_answers(stored, answer, result, options, failing, passing, earlier);
  if (explained.found.empty())
    explained.found = locate_errors(failing, explained.tried_every_mistake);
  std::ranges::move(explained.found, std::back_inserter(found));
  return found;
}

}  // namespace normproof::verification::golden::gate
