#include "verification/golden/gate/less_accurate_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::gate {

using corpus::has_operation;
using corpus::is_layer;
using corpus::to_string;
using corpus::unit_roundoff;
using corpus::usual_accumulation;

namespace {

/// A class is named only if the largest error is at least this fraction of the bound of the class.
constexpr double kMinShareOfBound = 0.01;

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

/// Whether the operation adds up terms. The others compute each element from a few numbers, so that
/// the format of their sums explains nothing.
bool has_sums(const Case& c) {
  namespace model = ref::model;
  return !(corpus::is_optimizer(c) || has_operation<model::ReluOptions>(c) ||
           has_operation<model::GeluOptions>(c) || has_operation<model::GeluTanhOptions>(c) ||
           has_operation<model::SiluOptions>(c) || has_operation<model::SwigluOptions>(c) ||
           has_operation<model::GegluOptions>(c) || has_operation<model::RopeOptions>(c) ||
           has_operation<model::NoneOptions>(c));
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
    diagnosis.share = std::max(diagnosis.share, own->ratio);
  }
  if (diagnosis.bounded && diagnosis.share < kMinShareOfBound) return {};
  return {diagnosis};
}

/// Whether the operation computes a mean, or a mean of squares, of x.
bool is_norm(const Case& c) {
  return is_layer(c) || has_operation<ref::model::AddLayerNormOptions>(c) ||
         has_operation<ref::model::AddRMSNormOptions>(c);
}

/// Whether the tensor has a number other than 0 that is subnormal, or whose square is.
bool has_tiny_numbers(const StoredTensor& tensor) {
  if (!ref::io::is_float(tensor.dtype)) return false;
  const double least =
      ref::numeric::float_format_info(corpus::storage_format(tensor.dtype)).smallest_normal;
  constexpr double kMargin = 0x1p10;
  return std::ranges::any_of(ref::io::widen(tensor), [&](double v) {
    return v != 0 && std::fabs(v) < kMargin * std::sqrt(least);
  });
}

}  // namespace

std::vector<Diagnosis> diagnose_usual_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result,
                                                const CheckOptions& options) {
  const Accumulation usual = usual_accumulation(stored.description.c.dtype);
  if (options.accumulation.value_or(usual) == usual) return {};
  if (!passes_fully_judged(check_case(stored, answer, {.outputs = judged_output_names(result)})))
    return {};
  return {{.what = fmt::format("sums in {}", to_string(usual)), .kind = Diagnosis::Kind::bound}};
}

std::vector<Diagnosis> diagnose_flushing(const StoredCase& stored,
                                         const std::vector<StoredTensor>& answer,
                                         const CaseResult& result) {
  if (std::ranges::none_of(stored.description.c.inputs, has_tiny_numbers) &&
      std::ranges::none_of(stored.expected, has_tiny_numbers))
    return {};
  const CheckOptions declared{.outputs = judged_output_names(result), .flush_subnormals = true};
  if (!passes_fully_judged(check_case(stored, answer, declared))) return {};
  return {{.what = "an arithmetic that flushes subnormal numbers to 0",
           .kind = Diagnosis::Kind::bound}};
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

std::vector<Diagnosis> diagnose_lower_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result) {
  const Case& c = stored.description.c;
  if (!has_sums(c)) return {};
  const std::vector<std::string> outputs = judged_output_names(result);
  for (const Accumulation accumulation : coarser_accumulations(c.dtype)) {
    if (!can_reach(accumulation, c.dtype, largest_ratio(result))) continue;
    const CaseResult allowed =
        check_case(stored, answer, {.outputs = outputs, .accumulation = accumulation});
    if (!passes_fully_judged(allowed)) continue;
    const double share = largest_ratio(allowed);
    if (share < kMinShareOfBound) return {};
    return {{.what = fmt::format("sums in {}", to_string(accumulation)),
             .kind = Diagnosis::Kind::bound,
             .share = share}};
  }
  return {};
}

}  // namespace normproof::verification::golden::gate
