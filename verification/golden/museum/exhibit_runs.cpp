#include "verification/golden/museum/exhibit_runs.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "ref/model/norm_layers.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/check_cases.hpp"
#include "verification/golden/gate/relations.hpp"
#include "verification/golden/museum/right_names.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::museum {

using certify::for_each_in_parallel;
using certify::StoredCase;
using corpus::case_folder;
using corpus::case_operation_name;
using gate::CaseResult;
using gate::RelationOutcome;
using tolerance::Tolerance;

namespace {

/// A case with its expected outputs and error bounds, computed once because several exhibits run
/// it.
struct PreparedCase {
  StoredCase stored;
  Tolerance bounds;
};

PreparedCase prepare_case(const Case& c) {
  return {certify::certify_case(c),
          tolerance::derive_tolerance(c, corpus::usual_accumulation(c.dtype))};
}

/// Whether the exhibit is about tensors of at most 8 bits, whose cases it supports then.
bool is_of_8_bits(const Exhibit& exhibit) {
  return recipes::is_quantization(exhibit.op) ||
         (exhibit.dtype && ref::io::item_size(*exhibit.dtype) == 1);
}

/// Whether exhibits about other tensors support the case. Their wrong kernels do not implement
/// scales, layouts and zero-centered gamma. In cases with these features they would fail for a
/// reason other than their bug.
bool is_supported_by_exhibits(const Case& c) {
  const auto* const layer = std::get_if<ref::model::NormOptions>(&c.options);
  if (layer == nullptr) return !corpus::is_scaled(c);
  return !corpus::is_scaled(c) && ref::model::norm_layout(*layer) == ref::model::Layout::rows &&
         !ref::model::has_zero_centered_gamma(*layer);
}

bool has_operation(const Exhibit& exhibit, const Case& c) {
  if (!is_of_8_bits(exhibit) && !is_supported_by_exhibits(c)) return false;
  return case_operation_name(c) == exhibit.op && (!exhibit.dtype || *exhibit.dtype == c.dtype);
}

/// Returns the first name among the diagnoses if none of them describes the bug of the exhibit; ""
/// otherwise. A place, and what is conspicuous about the values, are no names.
std::string find_wrong_name(const Exhibit& exhibit, const std::vector<gate::Diagnosis>& found) {
  std::string first;
  for (const gate::Diagnosis& diagnosis : found) {
    if (diagnosis.kind == gate::Diagnosis::Kind::place ||
        diagnosis.kind == gate::Diagnosis::Kind::answer)
      continue;
    if (is_right_name(exhibit.name, diagnosis.what)) return {};
    if (first.empty()) first = diagnosis.what;
  }
  return first;
}

/// Runs the exhibit on a case. If an output exceeds its bound, records the case and the diagnosis.
/// Returns whether enough cases were diagnosed.
bool detect_by_bound(ExhibitResult& visit, const PreparedCase& prepared) {
  const Case& c = prepared.stored.description.c;
  const std::vector<StoredTensor> answer = visit.exhibit.run(c, {});
  const CaseResult result = gate::check_case(prepared.stored, answer, {}, prepared.bounds);
  ++visit.cases;
  for (const auto& tensor : result.tensors) visit.closest = std::max(visit.closest, tensor.ratio);
  if (result.passed()) return false;
  const bool is_first = visit.case_path.empty();
  if (is_first) visit.case_path = case_folder(c);
  const CaseResult diagnosed =
      gate::check_and_diagnose(prepared.stored, answer, {}, prepared.bounds);
  if (is_first && !diagnosed.diagnosis.empty() &&
      diagnosed.diagnosis.front().kind != gate::Diagnosis::Kind::place)
    visit.named = diagnosed.diagnosis.front().what;
  if (const std::string name = find_wrong_name(visit.exhibit, diagnosed.diagnosis); !name.empty())
    visit.wrong_names.push_back(fmt::format("{} ({})", name, case_folder(c)));
  return ++visit.diagnosed >= kDiagnosedCases;
}

/// Whether the exhibit breaks a relation of the gate in this case. For the relation `memory`, new
/// memory is filled with a number so large that it spoils every sum.
bool detect_by_relation(ExhibitResult& visit, const StoredCase& stored) {
  const auto on = [&](const KernelEnvironment& device) {
    return [&visit, device](const StoredCase& prepared) {
      return candidate::CandidateOutput(visit.exhibit.run(prepared.description.c, device));
    };
  };
  const gate::RelationCandidates asks{
      on({}), on({.uninitialized_value = std::numeric_limits<float>::max()})};
  for (const gate::RelationResult& result :
       gate::check_relations(stored, asks, gate::all_relations())) {
    if (result.outcome != RelationOutcome::broken) continue;
    visit.case_path = stored.description.path;
    visit.relation = to_string(result.relation);
    return true;
  }
  return false;
}

std::vector<ExhibitResult> select_exhibits(const std::vector<Exhibit>& exhibits,
                                           const std::string& only) {
  std::vector<ExhibitResult> visits;
  std::set<std::string> ops;
  for (const Exhibit& exhibit : exhibits) {
    ops.insert(exhibit.op);
    if (fnmatch(only.c_str(), exhibit.op.c_str(), 0) == 0) visits.push_back({exhibit});
  }
  if (visits.empty())
    throw ref::numeric::UsageError(
        ref::numeric::unknown_name("layer", only, {ops.begin(), ops.end()}));
  return visits;
}

/// Runs the exhibits whose bug was not found yet on the cases of one tier.
void run_exhibits_on_tier(std::vector<ExhibitResult>& visits, Tier tier,
                          const ExhibitOptions& options) {
  std::map<std::string, std::vector<Case>> cases;
  corpus::PathGlobs missing;
  missing.globs.clear();
  for (const ExhibitResult& visit : visits)
    if (!visit.found()) missing.globs.push_back(fmt::format("*/{}/*", visit.exhibit.op));
  for (Case& c : recipes::corpus(tier, recipes::kCorpusSeed, missing)) {
    const bool wanted = std::ranges::any_of(visits, [&](const ExhibitResult& visit) {
      return !visit.found() && has_operation(visit.exhibit, c);
    });
    if (wanted) cases[case_operation_name(c)].push_back(std::move(c));
  }
  std::size_t done = 0;
  for (const auto& entry : cases) {
    const std::vector<Case>& operation_cases = entry.second;
    std::vector<PreparedCase> prepared(operation_cases.size());
    for_each_in_parallel(operation_cases.size(), options.jobs,
                         [&](std::size_t i) { prepared[i] = prepare_case(operation_cases[i]); });
    for_each_in_parallel(visits.size(), options.jobs, [&](std::size_t i) {
      ExhibitResult& visit = visits[i];
      if (visit.found() || visit.exhibit.op != entry.first) return;
      const auto try_each = [&](const auto& find) {
        for (const PreparedCase& each : prepared)
          if (has_operation(visit.exhibit, each.stored.description.c) && find(each)) return true;
        return false;
      };
      try_each([&](const PreparedCase& each) { return detect_by_bound(visit, each); });
      if (!visit.found())
        try_each([&](const PreparedCase& each) { return detect_by_relation(visit, each.stored); });
    });
    ++done;
    if (options.finished) options.finished(entry.first, done, cases.size());
  }
}

}  // namespace

std::vector<ExhibitResult> run_exhibits(const std::vector<Exhibit>& exhibits,
                                        const ExhibitOptions& options) {
  std::vector<ExhibitResult> visits = select_exhibits(exhibits, options.only);
  for (const Tier tier : {Tier::quick, Tier::standard, Tier::full})
    if (tier <= options.tier) run_exhibits_on_tier(visits, tier, options);
  return visits;
}

}  // namespace normproof::verification::golden::museum
