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
  try {
    CaseResult result = check_case(stored, answer, options, bounds);
    if (result.passed() || options.skip_diagnosis) return result;
    const bool is_usual = !options.accumulation && !options.flush_subnormals &&
                          options.formula == tolerance::Formula::two_pass;
    result.diagnosis = is_usual ? diagnose(stored, answer, result, options, bounds, earlier)
                                : diagnose(stored, answer, result, options, earlier);
    return result;
    // For example, an int64 that a double cannot represent.
  } catch (const ref::numeric::ContractError& error) {
    return {.description = copy_without_inputs(stored.description),
            .problem = sentence(error.violation())};
  }
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
  std::vector<std::vector<StoredTensor>> failed_answers(cases.size());
  CheckOptions without_diagnosis = options;
  without_diagnosis.skip_diagnosis = true;
  for_each_in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = read_case(golden, cases[i]);
    try {
      const CandidateOutput output = candidate(stored);
      results[i] = output.is_declined()
                       ? CaseResult{.description = copy_without_inputs(stored.description),
                                    .problem = output.reason(),
                                    .declined = true}
                       : check_and_diagnose(stored, output.tensors(), without_diagnosis);
      if (!results[i].passed() && !results[i].tensors.empty()) failed_answers[i] = output.tensors();
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
    if (!failed_answers[i].empty()) {
      const EarlierCases earlier = earlier_cases(history, cases[i].c, i);
      failed[earlier.refuted].push_back(earlier);
    }
  std::vector<std::vector<EarlierCases>> groups;
  groups.reserve(failed.size());
  for (auto& [refuted, group] : failed) groups.push_back(std::move(group));
  for_each_in_parallel(groups.size(), jobs, [&](std::size_t g) {
    for (const EarlierCases& earlier : groups[g]) {
      const std::size_t i = earlier.case_number;
      const StoredCase stored = read_case(golden, cases[i]);
      results[i] = check_and_diagnose(stored, failed_answers[i], options,
                                      tolerance_for_options(stored, options), earlier);
    }
  });
  return results;
}

}  // namespace normproof::verification::golden::gate
