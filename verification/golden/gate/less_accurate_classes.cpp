#include "verification/golden/gate/less_accurate_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/gate/gradient_case.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::gate {

using corpus::has_operation;
using corpus::is_layer;
using corpus::to_string;
using corpus::unit_roundoff;
using corpus::usual_accumulation;

namespace {

/// A class is named only if the largest error is at least this fraction of the bound of the class.
constexpr double kMinShareOfBound = 0.01;
/// An error with at least this ratio to its bound has a coarser format of the sums as its cause
/// only if sums in that format have nearly as large errors here.
constexpr double kMaxRatioOfPrecision = 100;
/// The largest quotient of the root mean squares of an output's errors and of those of the plain
/// implementation in the same format of sums.
constexpr double kMaxTimesErrorOfSums = 4;

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

/// Returns the largest ratio of error to bound over all outputs that were compared.
double largest_ratio(const CaseResult& result) {
  double largest = 0;
  for (const TensorResult& tensor : result.tensors) largest = std::max(largest, tensor.ratio);
  return largest;
}

/// Whether the bounds of sums in `coarser` can be so much wider than the usual ones that they
/// contain an error of this ratio. Saves the derivation of bounds that cannot explain the error.
bool can_reach(Accumulation coarser, DType dtype, double ratio) {
  constexpr double kSlack = 64;
  const double usual = ref::numeric::float_format_info(usual_accumulation(dtype)).unit_roundoff;
  return ratio <= kSlack * ref::numeric::float_format_info(coarser).unit_roundoff / usual;
}

/// Whether the operation adds up terms. The others compute each element from a few numbers, so that
/// the format of their sums explains nothing.
bool has_sums(const Case& c) {
  namespace model = ref::model;
  return !(corpus::is_optimizer(c) || has_operation<model::ReluOptions>(c) ||
           has_operation<model::GeluOptions>(c) || has_operation<model::GeluTanhOptions>(c) ||
           has_operation<model::SiluOptions>(c) || has_operation<model::SwigluOptions>(c) ||
           has_operation<model::GegluOptions>(c) || has_operation<model::RopeOptions>(c) ||
           has_operation<model::ReluSquaredOptions>(c) || has_operation<model::SigmoidOptions>(c) ||
           has_operation<model::LogSigmoidOptions>(c) || has_operation<model::SoftplusOptions>(c) ||
           has_operation<model::TanhOptions>(c) || has_operation<model::MishOptions>(c) ||
           has_operation<model::NoneOptions>(c));
}

/// Returns the root mean square of the errors of an output, relative to its largest element, over
/// the elements whose exact value is finite; infinite if an error is not finite.
double rms_error(const StoredTensor& output, const StoredTensor& exact) {
  const std::vector<double> got = ref::io::widen(output), right = ref::io::widen(exact);
  double squares = 0, largest = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(right[i])) continue;
    if (!std::isfinite(got[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::fabs(right[i]));
    squares += (got[i] - right[i]) * (got[i] - right[i]);
    ++count;
  }
  return squares == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)) / largest;
}

/// Returns the tensors that were compared. The plain implementation also computes gradients that
/// the case does not expect.
std::vector<StoredTensor> select(const std::vector<StoredTensor>& tensors,
                                 const CaseResult& result) {
  std::vector<StoredTensor> selected;
  for (const std::string& name : output_names(result))
    if (const StoredTensor* const tensor = corpus::find(tensors, name)) selected.push_back(*tensor);
  return selected;
}

/// Whether an output of the forward or of the backward failed. Implementations of a formula may use
/// it in one of them only.
bool has_failure_in_pass(const CaseResult& result, bool is_backward) {
  return std::ranges::any_of(result.tensors, [=](const TensorResult& tensor) {
    return !tensor.passed() && tensor.name.starts_with("grad_") == is_backward;
  });
}

/// Returns the outputs of the plain implementation in `style`, with every gradient.
std::vector<StoredTensor> run_in_style(const StoredCase& stored, const plain::Style& style) {
  const Case c = with_every_gradient(stored);
  mutations::Sites sites;
  return plain::run_plain(c, recipes::inputs_of(c), style, sites);
}

/// Whether the errors of the outputs have the size of those of `coarse`, the outputs of the plain
/// implementation in `style`. A bound is much wider than the errors of most implementations, so
/// that many mistakes are within it.
bool has_errors_of_style(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                         const CaseResult& result, const plain::Style& style,
                         const std::vector<StoredTensor>& coarse) {
  // The errors of two formulas of a kind differ more than those of two orders of a sum.
  const double max_times_larger = style.accumulation ? kMaxTimesErrorOfSums : 16;
  constexpr double kMaxTimesSmaller = 64, kSpoiled = 8, kMaxTimesRatio = 2;
  const CaseResult usual =
      check_case(stored, select(coarse, result), {.outputs = output_names(result)});
  for (const TensorResult& tensor : result.tensors) {
    const auto simulated = std::ranges::find(usual.tensors, tensor.name, &TensorResult::name);
    const StoredTensor* const own = corpus::find(coarse, tensor.name);
    if (own == nullptr || simulated == usual.tensors.end()) continue;
    // This style would have spoiled an output of the same pass that is right.
    if (tensor.passed() && simulated->ratio > kSpoiled &&
        has_failure_in_pass(result, tensor.name.starts_with("grad_")))
      return false;
    if (tensor.passed()) continue;
    if (style.accumulation && tensor.ratio >= kMaxRatioOfPrecision &&
        !(tensor.ratio <= kMaxTimesRatio * simulated->ratio))
      return false;
    const StoredTensor& exact = *corpus::find(stored.expected, tensor.name);
    const double error = rms_error(*corpus::find(answer, tensor.name), exact),
                 usual_error = rms_error(*own, exact);
    // Implementations of a formula differ: the backward of some uses it, and the order of sums
    // decides which elements are NaN.
    const bool is_undecided = simulated->passed() || std::isinf(error) || std::isinf(usual_error);
    if (is_undecided && !style.accumulation) continue;
    if (!(error <= max_times_larger * usual_error) || !(usual_error <= kMaxTimesSmaller * error))
      return false;
  }
  return true;
}

/// Whether an output that failed is much farther off than that of `coarse`, the outputs of the
/// plain implementation with coarser sums. Saves the derivation of bounds.
bool is_farther_off_than_sums(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CaseResult& result, const std::vector<StoredTensor>& coarse) {
  return std::ranges::any_of(result.tensors, [&](const TensorResult& tensor) {
    const StoredTensor* const own = corpus::find(coarse, tensor.name);
    if (tensor.passed() || own == nullptr) return false;
    if (!tensor.problem.empty()) return true;
    const StoredTensor& exact = *corpus::find(stored.expected, tensor.name);
    return !(rms_error(*corpus::find(answer, tensor.name), exact) <=
             kMaxTimesErrorOfSums * rms_error(*own, exact));
  });
}

/// Returns an explanation, `what`, if every failing output is within the error bounds of `formula`
/// and has errors of its size. Returns nothing otherwise.
std::optional<Diagnosis> diagnose_less_accurate_formula(
    const StoredCase& stored, const std::vector<StoredTensor>& answer, const CaseResult& result,
    tolerance::Formula formula, const plain::Style& style, const char* what) {
  Diagnosis diagnosis{.what = what, .kind = Diagnosis::Kind::bound};
  const CaseResult allowed =
      check_case(stored, answer, {.outputs = output_names(result), .formula = formula});
  for (const TensorResult& tensor : result.tensors) {
    if (tensor.passed()) continue;
    const auto own = std::ranges::find(allowed.tensors, tensor.name, &TensorResult::name);
    if (own == allowed.tensors.end() || !own->passed()) return std::nullopt;
    diagnosis.outputs.push_back(tensor.name);
    diagnosis.bounded = diagnosis.bounded && own->unjudged == 0;
    diagnosis.share = std::max(diagnosis.share, own->ratio);
  }
  if (diagnosis.bounded && diagnosis.share < kMinShareOfBound) return std::nullopt;
  if (!has_errors_of_style(stored, answer, result, style, run_in_style(stored, style)))
    return std::nullopt;
  return diagnosis;
}

/// Returns one of two explanations that are both possible, because the bound of the one-pass
/// variance includes the folded form. The folded form leaves rstd as it is. If rstd is not
/// returned, the smaller bound decides.
std::vector<Diagnosis> choose_formula(const Diagnosis& folded, const Diagnosis& one_pass,
                                      const CaseResult& result) {
  const auto rstd = std::ranges::find(result.tensors, "rstd", &TensorResult::name);
  const bool is_rstd_wrong = rstd != result.tensors.end() && !rstd->passed();
  return {is_rstd_wrong ? one_pass : folded};
}

/// Whether the operation computes a mean, or a mean of squares, of x.
bool is_norm(const Case& c) {
  return is_layer(c) || has_operation<ref::model::AddLayerNormOptions>(c) ||
         has_operation<ref::model::AddRMSNormOptions>(c);
}

}  // namespace

std::vector<Diagnosis> diagnose_usual_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result,
                                                const CheckOptions& options) {
  const Accumulation usual = usual_accumulation(stored.description.c.dtype);
  if (options.accumulation.value_or(usual) == usual) return {};
  if (!passes_fully_judged(check_case(stored, answer, {.outputs = output_names(result)})))
    return {};
  return {{.what = fmt::format("sums in {}", to_string(usual)), .kind = Diagnosis::Kind::bound}};
}

std::vector<Diagnosis> diagnose_less_accurate_formulas(const StoredCase& stored,
                                                       const std::vector<StoredTensor>& answer,
                                                       const CaseResult& result) {
  const Case& c = stored.description.c;
  if (!is_norm(c)) return {};
  const auto folded =
      diagnose_less_accurate_formula(stored, answer, result, tolerance::Formula::folded,
                                     {.folded = true}, "the folded form x r - m r for (x - m) r");
  const auto one_pass = tolerance::computes_variance(c)
                            ? diagnose_less_accurate_formula(
                                  stored, answer, result, tolerance::Formula::one_pass,
                                  {.one_pass = true}, "a one-pass variance E[x^2] - E[x]^2")
                            : std::nullopt;
  if (folded && one_pass) return choose_formula(*folded, *one_pass, result);
  if (folded) return {*folded};
  if (one_pass) return {*one_pass};
  return {};
}

std::vector<Diagnosis> diagnose_lower_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result) {
  const Case& c = stored.description.c;
  if (!has_sums(c)) return {};
  const std::vector<std::string> outputs = output_names(result);
  for (const Accumulation accumulation : coarser_accumulations(c.dtype)) {
    if (!can_reach(accumulation, c.dtype, largest_ratio(result))) continue;
    const plain::Style style{.accumulation = accumulation};
    const std::vector<StoredTensor> coarse = run_in_style(stored, style);
    if (is_farther_off_than_sums(stored, answer, result, coarse)) continue;
    const CaseResult allowed =
        check_case(stored, answer, {.outputs = outputs, .accumulation = accumulation});
    if (!passes_fully_judged(allowed)) continue;
    const double share = largest_ratio(allowed);
    if (share < kMinShareOfBound) return {};
    if (!has_errors_of_style(stored, answer, result, style, coarse)) continue;
    return {{.what = fmt::format("sums in {}", to_string(accumulation)),
             .kind = Diagnosis::Kind::bound,
             .share = share}};
  }
  return {};
}

}  // namespace normproof::verification::golden::gate
