#include "verification/golden/gate/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/error_location.hpp"
#include "verification/golden/gate/judged_values.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::gate {

using corpus::case_operation_name;
using corpus::find;
using corpus::has_operation;
using corpus::is_centered;
using corpus::is_layer;
using corpus::main_input;
using corpus::to_string;
using corpus::unit_roundoff;
using corpus::usual_accumulation;
using mutations::Mutation;
using mutations::Sites;
using plain::run_plain;
using recipes::inputs_of;
namespace {

// The largest number of elements of x for which all mutations are tried, because each needs a run.
constexpr std::size_t kMaxElements = 20'000;
constexpr std::size_t kMaxDiagnoses = 3;
/// An output agrees with a wrong implementation if their distance is at most this number times the
/// error bound of the correct formula, plus 64 unit roundoffs of the wrong value. The factor is
/// larger than 1, because the output and the wrong implementation may each be off by the bound of
/// the wrong formula, which is about as large as that of the correct formula.
constexpr double kAgreementBoundFactor = 4;
/// A mutation is accepted as the explanation of an output only if the output is close to the values
/// of the mutation. Let d be the distance from these values. The output's distance from the exact
/// values must be at least this factor times d. Its distance from the values of the implementation
/// without mutation must be at least as large. This excludes mutations that change nothing.
constexpr double kRequiredMargin = 8;
/// The largest distance, in ulps, between an output and the values of a mutation that still counts
/// as agreement, if the mutation has no error bound.
constexpr double kMaxUlps = 1000;
/// The remainder that with_storage_rounding receives with the value of a wrong formula. A remainder
/// other than 0 says that the dtype cannot represent this value exactly.
constexpr double kNonzeroRemainder = std::numeric_limits<double>::denorm_min();

/// One output that failed, with the distances within which another implementation counts as
/// agreeing.
struct FailingOutput {
  std::string name;
  DType dtype;
  std::vector<double> got, exact, bound;
  double unit;  ///< unit roundoff of the dtype
};

double distance(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return std::isfinite(a) == std::isfinite(b) ? 0 : std::numeric_limits<double>::infinity();
  return std::fabs(a - b);
}

std::vector<FailingOutput> failing_outputs(const StoredCase& stored,
                                           const std::vector<StoredTensor>& answer,
                                           const CaseResult& result) {
  const Case& c = stored.description.c;
  const tolerance::Tolerance bounds = tolerance::derive_tolerance(c, usual_accumulation(c.dtype));
  std::vector<FailingOutput> failing;
  for (const TensorResult& t : result.tensors) {
    if (t.passed() || !t.problem.empty()) continue;
    const StoredTensor& given = *find(answer, t.name);
    const JudgedValues judged = compute_judged_values(stored, answer, t.name, bounds);
    FailingOutput f{t.name,
                    given.dtype,
                    ref::io::widen(given),
                    ref::io::widen(*find(stored.expected, t.name)),
                    {},
                    unit_roundoff(given.dtype)};
    if (corpus::is_scaled(c))
      for (const double bound : judged.bound) f.bound.push_back(kAgreementBoundFactor * bound);
    for (std::size_t i = f.bound.size(); i < f.got.size(); ++i)
      f.bound.push_back(kAgreementBoundFactor * tolerance::with_storage_rounding(
                                                    bounds.bound.at(t.name).data()[i], f.exact[i],
                                                    kNonzeroRemainder, given.dtype));
    failing.push_back(std::move(f));
  }
  return failing;
}

/// Returns the largest distance between the output and `other`, in ulps of the largest element.
/// Returns nothing if they do not agree.
std::optional<double> find_distance_if_agreeing(const FailingOutput& f,
                                                const std::vector<StoredTensor>& other,
                                                const std::vector<StoredTensor>& right) {
  const StoredTensor* const tensor = find(other, f.name);
  const StoredTensor* const plain = find(right, f.name);
  if (tensor == nullptr || plain == nullptr || *tensor == *plain) return std::nullopt;
  const std::vector<double> values = ref::io::widen(*tensor), unmutated = ref::io::widen(*plain);
  double largest = 0, to_exact = 0, to_right = 0, magnitude = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double away = distance(f.got[i], values[i]);
    finite += std::isfinite(f.got[i]) ? 1 : 0;
    // If the wrong value is larger than the correct one, its bound is larger too.
    const double scale = std::isfinite(values[i]) ? 64 * f.unit * std::fabs(values[i]) : 0;
    // Equal values agree even if the bound is NaN because the expected value is not finite.
    if (away != 0 && !(away <= f.bound[i] + scale)) return std::nullopt;
    largest = std::max(largest, away);
    to_exact = std::max(to_exact, distance(f.got[i], f.exact[i]));
    if (i < unmutated.size()) to_right = std::max(to_right, distance(f.got[i], unmutated[i]));
    if (std::isfinite(values[i])) magnitude = std::max(magnitude, std::fabs(values[i]));
  }
  // Many wrong formulas produce only NaN, so a NaN output does not tell them apart.
  if (finite == 0 || !(largest * kRequiredMargin <= std::min(to_exact, to_right)))
    return std::nullopt;
  return largest == 0 ? 0 : largest / (2 * f.unit * magnitude);
}

/// The failing outputs that agree with one mutation, and the largest of their distances from this
/// mutation, in ulps.
struct Explanation {
  std::vector<std::string> outputs;
  double ulps = 0;
};

Explanation explain(const std::vector<FailingOutput>& failing,
                    const std::vector<StoredTensor>& other,
                    const std::vector<StoredTensor>& right) {
  Explanation explanation;
  for (const FailingOutput& f : failing) {
    const std::optional<double> own = find_distance_if_agreeing(f, other, right);
    if (!own) continue;
    explanation.outputs.push_back(f.name);
    explanation.ulps = std::max(explanation.ulps, *own);
  }
  return explanation;
}

/// Whether the mutation changes only the rounding. Two values that are nearly equal before such a
/// rounding can be far apart after it.
bool is_rounding_mistake(const Mutation& mutation) {
  return mutation.op == mutations::MutationOperator::half_precision ||
         mutation.op == mutations::MutationOperator::bfloat16_sum ||
         mutation.op == mutations::MutationOperator::truncate;
}

bool is_within_mistaken_bound(const FailingOutput& f, const std::vector<double>& mistaken,
                              const std::vector<double>& errors) {
  if (errors.size() != mistaken.size()) return false;
  for (std::size_t i = 0; i < mistaken.size(); ++i) {
    const double bound =
        2 * tolerance::with_storage_rounding(errors[i], mistaken[i], kNonzeroRemainder, f.dtype);
    if (std::isfinite(mistaken[i]) && !(distance(f.got[i], mistaken[i]) <= bound)) return false;
  }
  return true;
}

/// Removes the outputs that are too far from the mutated formula. The allowed distance is twice the
/// error bound of that formula, because the output and the plain implementation may each be off by
/// this bound. For a mutation without an error bound, the allowed distance is kMaxUlps.
void keep_plausible_outputs(const Case& c, const std::vector<FailingOutput>& failing,
                            const std::vector<StoredTensor>& mistaken, const Mutation& mutation,
                            Explanation& explanation) {
  if (explanation.outputs.empty()) return;
  const bool has_no_bound = !is_layer(c) || corpus::is_scaled(c);
  if (has_no_bound || is_rounding_mistake(mutation)) {
    if (has_no_bound && explanation.ulps > kMaxUlps) explanation.outputs.clear();
    return;
  }
  checks::evaluation::EvalInputs inputs = inputs_of(c);
  certify::replace_not_finite(inputs, c, certify::kReplacements);
  const auto errors = plain::plain_error_bounds(
      c, inputs, {}, tolerance::arithmetic_of_candidate(usual_accumulation(c.dtype), false),
      mutation);
  std::erase_if(explanation.outputs, [&](const std::string& name) {
    const FailingOutput& f = *std::ranges::find(failing, name, &FailingOutput::name);
    const auto own = errors.find(name);
    return own == errors.end() ||
           !is_within_mistaken_bound(f, ref::io::widen(*find(mistaken, name)), own->second);
  });
}

/// Returns the case of `stored`. If the operation is a function and the case has no gradients, a
/// grad_y of zeros is added, because the mutated implementations compute all gradients.
Case add_missing_grad_y(const StoredCase& stored) {
  Case c = stored.description.c;
  const StoredTensor* const y = find(stored.expected, "y");
  const bool is_function = std::holds_alternative<ref::model::FunctionOptions>(c.options);
  if (!is_function || corpus::is_scaled(c) || y == nullptr || find(c.inputs, "grad_y") != nullptr)
    return c;
  const std::size_t elements = ref::io::widen(*y).size();
  c.inputs.push_back(
      ref::io::make_tensor("grad_y", c.dtype, y->shape, std::vector<double>(elements, 0)));
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

/// Returns the mutations that explain failing outputs. Mutations that explain more outputs come
/// first. If several explain equally many, the closest comes first. A mutation need not explain
/// every failing output: the same error may occur twice, may leave an output unchanged, or may
/// affect a statistic that is computed separately.
std::vector<Diagnosis> find_agreeing_mutations(const Case& c,
                                               const std::vector<FailingOutput>& failing) {
  std::vector<std::pair<std::size_t, Diagnosis>> found;
  Sites all;
  all.list();
  const std::vector<StoredTensor> right = run_plain(c, inputs_of(c), {}, all);
  for (const Mutation& mutation : all.seen()) {
    Sites sites(mutation);
    const std::vector<StoredTensor> mistaken = run_plain(c, inputs_of(c), {}, sites);
    Explanation explanation = explain(failing, mistaken, right);
    keep_plausible_outputs(c, failing, mistaken, mutation, explanation);
    if (explanation.outputs.empty()) continue;
    Diagnosis diagnosis{.what = fmt::format("{}: {}", mutation.site, to_string(mutation.op)),
                        .ulps = explanation.ulps,
                        .outputs = explanation.outputs};
    found.emplace_back(failing.size() - explanation.outputs.size(), std::move(diagnosis));
  }
  std::ranges::stable_sort(
      found, {}, [](const auto& entry) { return std::pair(entry.first, entry.second.ulps); });
  std::vector<Diagnosis> closest;
  for (auto& [unexplained, diagnosis] : found)
    if (closest.size() < kMaxDiagnoses) closest.push_back(std::move(diagnosis));
  return closest;
}

/// Returns the accumulation formats that are coarser than the usual one, in the order in which they
/// are tried. The dtype of the case comes first if it is among them.
std::vector<Accumulation> coarser_accumulations(DType dtype) {
  std::vector<Accumulation> coarser;
  if (dtype == DType::float64) coarser = {Accumulation::float32, Accumulation::float16};
  if (dtype == DType::float16) coarser = {Accumulation::float16};
  if (dtype == DType::float32) coarser = {Accumulation::float16};
  coarser.push_back(Accumulation::bfloat16);
  return coarser;
}

/// Whether every output passes and no element has an infinite bound.
bool passes_fully_judged(const CaseResult& result) {
  return result.passed() && std::ranges::all_of(result.tensors, [](const TensorResult& tensor) {
           return tensor.unjudged == 0;
         });
}

/// Returns the names of the outputs that were compared. The next check requires only these outputs.
/// If an output was never requested, that check therefore does not report that it is absent.
std::vector<std::string> judged_output_names(const CaseResult& result) {
  std::vector<std::string> names;
  for (const TensorResult& tensor : result.tensors) names.push_back(tensor.name);
  return names;
}

std::vector<Diagnosis> diagnose_flushing(const StoredCase& stored,
                                         const std::vector<StoredTensor>& answer,
                                         const CaseResult& result) {
  const CheckOptions declared{.outputs = judged_output_names(result), .flush_subnormals = true};
  if (!passes_fully_judged(check_case(stored, answer, declared))) return {};
  return {{.what = "an arithmetic that flushes subnormal numbers to 0",
           .kind = Diagnosis::Kind::bound}};
}

/// Checks the outputs again with the usual accumulation format of the dtype. If they pass, the
/// failure is explained: the candidate declared a finer format than it uses.
std::vector<Diagnosis> diagnose_usual_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result) {
  if (!passes_fully_judged(check_case(stored, answer, {.outputs = judged_output_names(result)})))
    return {};
  const Accumulation usual = usual_accumulation(stored.description.c.dtype);
  return {{.what = fmt::format("sums in {}", to_string(usual)), .kind = Diagnosis::Kind::bound}};
}

std::vector<Diagnosis> diagnose_lower_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result) {
  const std::vector<std::string> outputs = judged_output_names(result);
  for (const Accumulation accumulation : coarser_accumulations(stored.description.c.dtype))
    if (passes_fully_judged(
            check_case(stored, answer, {.outputs = outputs, .accumulation = accumulation})))
      return {{.what = fmt::format("sums in {}", to_string(accumulation)),
               .kind = Diagnosis::Kind::bound}};
  return {};
}

/// Describes where the wrong elements are: "no known mistake; wrong: y in the last row; grad_x in
/// every element".
std::vector<Diagnosis> locate_errors(const CaseResult& result) {
  std::vector<std::string> places;
  for (const TensorResult& t : result.tensors)
    if (!t.failed.empty())
      places.push_back(fmt::format("{} in {}", t.name, describe_error_location(t.failed, t.shape)));
  if (places.empty()) return {};
  return {{.what = fmt::format("no known mistake; wrong: {}", fmt::join(places, "; ")),
           .kind = Diagnosis::Kind::place}};
}

/// Returns one explanation, `what`, if every failing output is within the error bounds of
/// `formula`. Returns nothing otherwise.
std::vector<Diagnosis> diagnose_less_accurate_formula(const StoredCase& stored,
                                                      const std::vector<StoredTensor>& answer,
                                                      const CaseResult& result,
                                                      tolerance::Formula formula,
                                                      const char* what) {
  Diagnosis diagnosis{.what = what, .kind = Diagnosis::Kind::bound};
  const CaseResult allowed =
      check_case(stored, answer, {.outputs = judged_output_names(result), .formula = formula});
  for (const TensorResult& tensor : result.tensors) {
    if (tensor.passed()) continue;
    const auto own = std::ranges::find(allowed.tensors, tensor.name, &TensorResult::name);
    if (own == allowed.tensors.end() || !own->passed()) return {};
    diagnosis.outputs.push_back(tensor.name);
    diagnosis.bounded = diagnosis.bounded && own->unjudged == 0;
  }
  return {diagnosis};
}

/// Whether the operation computes a mean, or a mean of squares, of x.
bool is_norm(const Case& c) {
  return is_layer(c) || has_operation<ref::model::AddLayerNormOptions>(c) ||
         has_operation<ref::model::AddRMSNormOptions>(c);
}

std::vector<Diagnosis> diagnose_less_accurate_formulas(const StoredCase& stored,
                                                       const std::vector<StoredTensor>& answer,
                                                       const CaseResult& result) {
  const Case& c = stored.description.c;
  if (!is_norm(c)) return {};
  std::vector<Diagnosis> found =
      diagnose_less_accurate_formula(stored, answer, result, tolerance::Formula::folded,
                                     "the folded form x r - m r for (x - m) r");
  if (found.empty() && tolerance::computes_variance(c))
    found = diagnose_less_accurate_formula(stored, answer, result, tolerance::Formula::one_pass,
                                           "a one-pass variance E[x^2] - E[x]^2");
  return found;
}

}  // namespace

std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result) {
  const Case& c = stored.description.c;
  const std::vector<FailingOutput> failing = failing_outputs(stored, answer, result);
  const StoredTensor* const x = main_input(c);
  if (failing.empty()) return {};
  std::vector<Diagnosis> found = diagnose_usual_precision(stored, answer, result);
  if (!found.empty()) return found;
  if (x == nullptr || x->bytes.size() <= 8 * kMaxElements)
    found = find_agreeing_mutations(add_missing_grad_y(stored), failing);
  if (found.empty()) found = diagnose_flushing(stored, answer, result);
  if (found.empty()) found = diagnose_less_accurate_formulas(stored, answer, result);
  if (found.empty()) found = diagnose_lower_precision(stored, answer, result);
  return found.empty() ? locate_errors(result) : found;
}

}  // namespace normproof::verification::golden::gate
