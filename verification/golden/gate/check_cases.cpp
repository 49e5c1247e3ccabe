#include "verification/golden/gate/check_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/diagnose.hpp"

namespace normproof::verification::golden::gate {

using certify::copy_without_inputs;
using certify::for_each_in_parallel;
using certify::read_case;

namespace {

/// Runs check_case. If an int64 value cannot be represented as a double, the case fails.
CaseResult check_representable(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                               const CheckOptions& options, const tolerance::Tolerance& bounds) {
  try {
    return check_case(stored, answer, options, bounds);
  } catch (const ref::numeric::ContractError& error) {
    return {.description = copy_without_inputs(stored.description),
            .problem = sentence(error.violation())};
  }
}

/// Adds the explanations to the result of a case, unless it passed. `bounds` decided the verdict.
void add_diagnosis(CaseResult& result, const StoredCase& stored,
                   const std::vector<StoredTensor>& answer, const CheckOptions& options,
                   const tolerance::Tolerance& bounds, const EarlierCases& earlier) {
  if (result.passed() || result.tensors.empty()) return;
  const bool is_usual = !options.accumulation && !options.flush_subnormals &&
                        options.formula == tolerance::Formula::two_pass;
  result.diagnosis = is_usual ? diagnose(stored, answer, result, options, bounds, earlier)
                              : diagnose(stored, answer, result, options, earlier);
}

/// The parts of a check that the diagnosis of a case that failed needs.
struct FailedCase {
  std::vector<StoredTensor> answer;
  tolerance::Tolerance bounds;
};

}  // namespace

void check_outputs_exist(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs) {
  std::set<std::string> known;
  for (const CaseDescription& description : cases)
    known.insert(description.outputs.begin(), description.outputs.end());
  for (const std::string& name : outputs)
    if (!known.contains(name))
      throw ref::numeric::UsageError(
          ref::numeric::unknown_name("output", name, {known.begin(), known.end()}));
}

void check_options_exist(const std::vector<CaseDescription>& cases, const CheckOptions& options) {
  if (cases.empty()) return;
  const auto none = [&](const auto& applies) {
    return std::ranges::none_of(
        cases, [&](const CaseDescription& description) { return applies(description.c); });
  };
  std::set<std::string> names;
  for (const CaseDescription& description : cases)
    names.insert(corpus::case_operation_name(description.c));
  const std::string operations = fmt::format("{}", fmt::join(names, ", "));
  if (none([&](const corpus::Case& c) { return tolerance::has_formula(c, options.formula); })) {
    std::vector<std::string> known;
    for (const tolerance::Formula formula : tolerance::kFormulas)
      if (!none([&](const corpus::Case& c) { return tolerance::has_formula(c, formula); }))
        known.emplace_back(to_string(formula));
    throw ref::numeric::UsageError(fmt::format("formula is {}, which {} does not have; expected {}",
                                               to_string(options.formula), operations,
                                               fmt::join(known, " or ")));
  }
  if (options.cast_order == tolerance::CastOrder::before_gamma && none([](const corpus::Case& c) {
        return ref::model::operation_info(c.options).takes("gamma");
      }))
    throw ref::numeric::UsageError(fmt::format(
        "cast_order is before_gamma, and {} has no gamma; expected after_gamma", operations));
  if (options.cast_order == tolerance::CastOrder::stored_statistics &&
      none(&tolerance::is_norm_of_rows))
    throw ref::numeric::UsageError(
        fmt::format("cast_order is stored_statistics, and {} is no norm of rows; expected "
                    "after_gamma",
                    operations));
  if (options.loss_dtype == tolerance::LossDtype::logits &&
      none([](const corpus::Case& c) { return has_operation<ref::model::CrossEntropyOptions>(c); }))
    throw ref::numeric::UsageError(
        fmt::format("loss_dtype is logits, and {} has no loss; expected wide", operations));
  if (options.scale_rounding != corpus::ScaleRounding::floor && none([](const corpus::Case& c) {
        return corpus::output_scaling(c, "y") == corpus::OutputScaling::blocks;
      }))
    throw ref::numeric::UsageError(
        fmt::format("scale_rounding is {}, and no case of {} has scales of blocks; expected floor",
                    to_string(options.scale_rounding), operations));
}

CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options) {
  return check_and_diagnose(stored, answer, options, tolerance_for_options(stored, options));
}

CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds,
                              const EarlierCases& earlier) {
  CaseResult result = check_representable(stored, answer, options, bounds);
  if (!options.skip_diagnosis) add_diagnosis(result, stored, answer, options, bounds, earlier);
  return result;
}

EarlierCases earlier_cases(SearchHistory& history, const Case& c, std::size_t case_number) {
  return {.refuted = &history.of(corpus::case_operation_name(c)), .case_number = case_number};
}

std::vector<CaseResult> check_cases(const std::filesystem::path& golden,
                                    const std::vector<CaseDescription>& cases,
                                    const Candidate& candidate, const CheckOptions& options,
                                    int jobs,
                                    const std::function<void(std::size_t done)>& finished) {
  check_outputs_exist(cases, options.outputs);
  check_options_exist(cases, options);
  std::vector<CaseResult> results(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  std::vector<FailedCase> failed_cases(cases.size());
  for_each_in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = read_case(golden, cases[i]);
    try {
      const CandidateOutput output = candidate(stored);
      if (output.is_declined()) {
        results[i] = {.description = copy_without_inputs(stored.description),
                      .problem = output.reason(),
                      .declined = true};
      } else {
        tolerance::Tolerance bounds = tolerance_for_options(stored, options);
        results[i] = check_representable(stored, output.tensors(), options, bounds);
        if (!options.skip_diagnosis && !results[i].passed() && !results[i].tensors.empty())
          failed_cases[i] = {output.tensors(), std::move(bounds)};
      }
    } catch (const ref::numeric::FileError& error) {
      results[i] = {.description = copy_without_inputs(stored.description),
                    .problem = error.what()};
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (finished) finished(done);
  });
  if (options.skip_diagnosis) return results;
  SearchHistory history;
  std::map<RefutedMutations*, std::vector<EarlierCases>> failed;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!failed_cases[i].answer.empty()) {
      const EarlierCases earlier = earlier_cases(history, cases[i].c, i);
      failed[earlier.refuted].push_back(earlier);
    }
  std::vector<std::vector<EarlierCases>> groups;
  groups.reserve(failed.size());
  for (auto& [refuted, group] : failed) groups.push_back(std::move(group));
  for_each_in_parallel(groups.size(), jobs, [&](std::size_t g) {
    for (const EarlierCases& earlier : groups[g]) {
      const std::size_t i = earlier.case_number;
      const FailedCase failed_case = std::move(failed_cases[i]);
      add_diagnosis(results[i], read_case(golden, cases[i]), failed_case.answer, options,
                    failed_case.bounds, earlier);
    }
  });
  return results;
}

}  // namespace normproof::verification::golden::gate
