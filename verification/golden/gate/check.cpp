#include "verification/golden/gate/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/gate/judged_output.hpp"
#include "verification/golden/gate/stored_digits.hpp"

namespace normproof::verification::golden::gate {

using certify::copy_without_inputs;
using corpus::find;
using corpus::unit_roundoff;
using corpus::usual_accumulation;

namespace {

/// Whether an output is required by default: y and its block scales, sum, logits, loss, the
/// gradients of the inputs, and the running state. Statistics are not required, because an
/// implementation need not expose them.
bool is_usually_required(const StoredCase& stored, const std::string& name) {
  if (name == "y_scale") return true;
  const std::string_view of = std::string_view(name).substr(name.starts_with("grad_") ? 5 : 0);
  return name == "y" || name == "sum" || name == "logits" || name == "loss" ||
         find(stored.description.c.inputs, of) != nullptr;
}

std::vector<std::string> expected_output_names(const StoredCase& stored) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : stored.expected)
    if (!tensor.name.ends_with("_lo")) names.push_back(tensor.name);
  return names;
}

/// Returns the narrowest dtype in which the candidate may return an output.
DType narrowest_dtype(const Case& c, const StoredTensor& expected, const CheckOptions& options) {
  const bool is_loss_of_logits = expected.name == "loss" &&
                                 options.loss_dtype == tolerance::LossDtype::logits &&
                                 has_operation<ref::model::CrossEntropyOptions>(c);
  return is_loss_of_logits ? c.dtype : expected.dtype;
}

std::string find_problem(const StoredTensor& expected, DType narrowest,
                         const StoredTensor& answer) {
  if (answer.shape != expected.shape)
    return fmt::format("has shape {}; expected {}", ref::tensor::to_string(answer.shape),
                       ref::tensor::to_string(expected.shape));
  const bool whole = expected.dtype == DType::int64;
  // An 8-bit format does not contain all numbers of another 8-bit format.
  const bool fits = whole || answer.dtype == expected.dtype || answer.dtype == narrowest ||
                    (ref::io::is_float(expected.dtype) && ref::io::is_float(answer.dtype) &&
                     ref::io::item_size(answer.dtype) > 1 &&
                     unit_roundoff(answer.dtype) <= unit_roundoff(narrowest));
  if (fits) return {};
  return fmt::format("has dtype {}; expected {}{}", ref::io::to_string(answer.dtype),
                     ref::io::to_string(narrowest),
                     expected.dtype == DType::float64 || !ref::io::is_float(expected.dtype)
                         ? ""
                         : " or a wider one");
}

/// Finds the elements of which a case of a corpus asks nothing, because zeros in place of their row
/// or output would be within the bounds of any correct implementation: those of the default
/// options. An operation on elements has none: the tail of a function is a part of the question,
/// and Formula::stable verifies it.
class UnaskedElements {
 public:
  UnaskedElements(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                  const CheckOptions& options)
      : stored_(stored), answer_(answer), has_usual_bounds_(has_usual_tolerance(options)) {}

  /// Moves the elements of `result` that are not asked from `vacuous` to `unasked`. `parts` are
  /// those of the output with the bounds of the candidate.
  void subtract_from(TensorResult& result, const std::vector<Part>& parts) {
    const Case& c = stored_.description.c;
    if (result.vacuous == 0 || c.tier == corpus::Tier::user || is_elementwise(c)) return;
    if (has_usual_bounds_) {
      result.unasked = result.vacuous;
    } else {
      const std::vector<Part> usual = find_parts(stored_, answer_, result.name, usual_bounds());
      std::vector<bool> unasked(parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p)
        unasked[p] = parts[p].is_vacuous() && usual[p].is_vacuous();
      const std::size_t size = std::accumulate(result.shape.begin(), result.shape.end(),
                                               std::size_t{1}, std::multiplies<>());
      result.unasked = count_passed(parts, unasked, size / parts.size(), result.failed);
    }
    result.vacuous -= result.unasked;
  }

 private:
  static bool has_usual_tolerance(const CheckOptions& options) {
    return !options.accumulation && options.formula == tolerance::Formula::two_pass &&
           !options.flush_subnormals && options.cast_order == tolerance::CastOrder::after_gamma &&
           options.loss_dtype == tolerance::LossDtype::wide;
  }
  static bool is_elementwise(const Case& c) {
    return ref::model::operation_info(c.options).independence == ref::model::Independence::element;
  }
  const tolerance::Tolerance& usual_bounds() {
    if (!usual_bounds_) usual_bounds_ = tolerance_for_options(stored_.description.c, {});
    return *usual_bounds_;
  }

  const StoredCase& stored_;
  const std::vector<StoredTensor>& answer_;
  bool has_usual_bounds_;
  std::optional<tolerance::Tolerance> usual_bounds_;
};

TensorResult make_uncompared_result(const std::string& name, std::string problem) {
  return {.name = name, .problem = std::move(problem)};
}

}  // namespace

tolerance::Tolerance tolerance_for_options(const Case& c, const CheckOptions& options,
                                           const tolerance::BlockOptions& blocks) {
  const Accumulation accumulation =
      options.accumulation ? *options.accumulation : usual_accumulation(c.dtype);
  tolerance::Tolerance bounds = tolerance::derive_tolerance(
      c, accumulation, options.formula, options.flush_subnormals, options.cast_order, blocks);
  if (options.loss_dtype == tolerance::LossDtype::logits)
    tolerance::allow_stored_log_probabilities(c, accumulation, bounds.bound);
  bounds.scale_rounding = options.scale_rounding;
  return bounds;
}

tolerance::Tolerance tolerance_for_options(const StoredCase& stored, const CheckOptions& options,
                                           const tolerance::BlockOptions& blocks) {
  tolerance::Tolerance bounds =
      tolerance_for_options(stored.description.c, options, {.threads = blocks.threads});
  if (stored.all_rows == nullptr) return bounds;
  tolerance::BlockOptions sums = blocks;
  sums.only_sums = true;
  tolerance::Tolerance all = tolerance_for_options(stored.all_rows->c, options, sums);
  for (auto& [name, bound] : all.bound) {
    const auto& radius = stored.all_rows->radius.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i) bound.data()[i] += radius.data()[i];
    bounds.bound.set(name, std::move(bound));
    bounds.input_sensitivity.set(name, std::move(all.input_sensitivity.at(name)));
  }
  return bounds;
}

bool is_required(const StoredCase& stored, const std::string& output, const CheckOptions& options) {
  return options.outputs.empty()
             ? is_usually_required(stored, output)
             : std::ranges::find(options.outputs, output) != options.outputs.end();
}

std::vector<double> error_to_bound_ratios(const StoredCase& stored,
                                          const std::vector<StoredTensor>& answer,
                                          const std::string& output,
                                          const tolerance::Tolerance& bounds) {
  return JudgedOutput(stored, answer, output, bounds).error_ratios();
}

CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options) {
  return check_case(stored, answer, options, tolerance_for_options(stored, options));
}

CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options, const tolerance::Tolerance& bounds) {
  CaseResult result{.description = copy_without_inputs(stored.description)};
  const std::vector<std::string> known = expected_output_names(stored);
  for (const StoredTensor& tensor : answer) {
    if (std::ranges::find(known, tensor.name) != known.end() || tensor.name.ends_with("_lo"))
      continue;
    result.problem = ref::numeric::unknown_name("tensor", tensor.name, known);
    return result;
  }
  UnaskedElements unasked(stored, answer, options);
  for (const std::string& name : known) {
    const bool is_needed = is_required(stored, name, options);
    const StoredTensor* const given = find(answer, name);
    if (given == nullptr) {
      if (is_needed) result.tensors.push_back(make_uncompared_result(name, "is absent"));
      continue;
    }
    if (!is_needed && !options.outputs.empty()) continue;
    const StoredTensor& expected = *find(stored.expected, name);
    const std::string problem =
        find_problem(expected, narrowest_dtype(stored.description.c, expected, options), *given);
    if (!problem.empty()) {
      result.tensors.push_back(make_uncompared_result(name, problem));
      continue;
    }
    std::vector<Part> parts;
    result.tensors.push_back(judge_output(stored, answer, name, bounds, options.maps, &parts));
    unasked.subtract_from(result.tensors.back(), parts);
    result.tensors.back().note = describe_excess_digits(expected, *given);
  }
  if (result.tensors.empty())
    result.problem = fmt::format("none of the outputs {} is there; expected one of {}",
                                 fmt::join(options.outputs, ", "), fmt::join(known, ", "));
  return result;
}

}  // namespace normproof::verification::golden::gate
