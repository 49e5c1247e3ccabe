#include "verification/golden/gate/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/compare/comparison.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/gate/judged_values.hpp"
#include "verification/golden/gate/stored_digits.hpp"

namespace normproof::verification::golden::gate {

using corpus::arithmetic_of;
using corpus::find;
using corpus::ulp_of;
using corpus::unit_roundoff;
using corpus::usual_accumulation;
using ref::numeric::oracle100;
using ref::tensor::Tensor;

namespace {

double to_double_up(const oracle100& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDU);
}

/// One output: the elements that are judged, side by side.
class JudgedOutput {
 public:
  JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer, std::string name,
               const Tolerance& bounds)
      : name_(std::move(name)),
        answer_(*find(answer, name_)),
        shape_(find(stored.expected, name_)->shape),
        exact_(judged_values(stored, answer, name_, bounds)) {}

  TensorResult judge(bool with_map) const {
    TensorResult result = compared();
    if (with_map && !result.failed.empty()) result.map = share_map(shape_, shares());
    return result;
  }

  /// Of each element; NaN of one that is not judged.
  std::vector<double> shares() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> got = ref::io::widen(answer_);
    std::vector<double> shares(got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(exact_.high[i])) {
        shares[i] = std::isfinite(got[i]) ? kInfinity : 0;
        continue;
      }
      const double own = exact_.bound[i];
      const double error = error_at(i, got[i]);
      shares[i] = std::isinf(own) ? std::numeric_limits<double>::quiet_NaN()
                  : error == 0    ? 0
                  : own == 0      ? kInfinity
                                  : error / own;
    }
    return shares;
  }

 private:
  TensorResult compared() const {
    TensorResult result;
    result.name = name_;
    result.shape = shape_;
    const std::vector<double> got = ref::io::widen(answer_);
    std::vector<std::size_t> judged;
    std::vector<double> bounds;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(exact_.high[i])) {
        // One order of operations makes infinity of what another makes NaN.
        ++result.count;
        if (!std::isfinite(got[i])) continue;
        if (result.failed.empty()) at(result, i, got[i], 0);
        result.failed.push_back(i);
        result.ratio = std::numeric_limits<double>::infinity();
        continue;
      }
      const double own = exact_.bound[i];
      if (std::isinf(own)) {
        ++result.unjudged;
        continue;
      }
      judged.push_back(i);
      bounds.push_back(own);
    }
    result.count += judged.size();
    if (judged.empty()) return result;
    const compare::Comparison comparison = side_by_side(got, judged, bounds);
    measure(got, judged, bounds, result);
    const bool nan_failed = !result.failed.empty();
    for (const std::size_t k : comparison.failed) result.failed.push_back(judged[k]);
    std::ranges::sort(result.failed);
    if (nan_failed && comparison.worst_ratio < std::numeric_limits<double>::infinity())
      return result;
    result.ratio = comparison.worst_ratio;
    const std::size_t worst = judged[comparison.worst_index];
    at(result, worst, got[worst], comparison.worst_bound);
    if (comparison.worst_bound > 0)
      result.of_the_inputs = exact_.of_the_inputs[worst] / comparison.worst_bound;
    return result;
  }

  void at(TensorResult& result, std::size_t i, double got, double bound) const {
    result.where = ref::tensor::index_to_string(i, shape_);
    result.got = got;
    result.exact = exact_.high[i];
    result.bound = bound;
  }

  oracle100 exact(std::size_t i) const {
    return oracle100(exact_.high[i]) + oracle100(exact_.low[i]);
  }

  compare::Comparison side_by_side(const std::vector<double>& got,
                                   const std::vector<std::size_t>& judged,
                                   const std::vector<double>& bounds) const {
    const std::vector<std::size_t> shape = {judged.size()};
    auto a = ref::tensor::empty_tensor<double>(shape), c = ref::tensor::empty_tensor<double>(shape);
    auto b = ref::tensor::empty_tensor<oracle100>(shape);
    for (std::size_t k = 0; k < judged.size(); ++k) {
      a.data()[k] = got[judged[k]];
      b.data()[k] = exact(judged[k]);
      c.data()[k] = bounds[k];
    }
    return compare::compare(a, b, c);
  }

  /// |got - exact|, rounded up; infinite where got is no number.
  double error_at(std::size_t i, double got) const {
    if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
    const oracle100 difference = oracle100(got) - exact(i);
    return to_double_up(difference < 0 ? oracle100(-difference) : difference);
  }

  void measure(const std::vector<double>& got, const std::vector<std::size_t>& judged,
               const std::vector<double>& bounds, TensorResult& result) const {
    const double half_of_the_digits = std::sqrt(unit_roundoff(answer_.dtype));
    double largest_exact = 0, largest_error = 0;
    for (std::size_t k = 0; k < judged.size(); ++k) {
      const std::size_t i = judged[k];
      const double magnitude = std::fabs(exact_.high[i]);
      largest_exact = std::max(largest_exact, magnitude);
      const double error = error_at(i, got[i]);
      result.max_absolute = std::max(result.max_absolute, error);
      const bool is_within = error <= bounds[k];
      if (is_within ? bounds[k] > half_of_the_digits * magnitude
                    : std::isfinite(error) && magnitude <= bounds[k])
        continue;
      ++result.with_digits;
      if (error == 0) continue;
      largest_error = std::max(largest_error, error);
      result.max_relative = std::max(result.max_relative, error / magnitude);
      result.max_ulp = std::max(result.max_ulp, error / ulp_of(exact_.high[i], answer_.dtype));
    }
    result.norm_wise = largest_error == 0 ? 0 : largest_error / largest_exact;
  }

  std::string name_;
  const StoredTensor& answer_;
  std::vector<std::size_t> shape_;
  JudgedValues exact_;
};

/// y, the scales of its blocks, and the sum, or logits and loss, the gradients of what went in, and
/// the state; statistics are what an implementation may keep to itself.
bool is_usually_required(const StoredCase& stored, const std::string& name) {
  if (name == "y_scale") return true;
  const std::string_view of = std::string_view(name).substr(name.starts_with("grad_") ? 5 : 0);
  return name == "y" || name == "sum" || name == "logits" || name == "loss" ||
         find(stored.description.c.inputs, of) != nullptr;
}

std::vector<std::string> outputs_of(const StoredCase& stored) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : stored.expected)
    if (!tensor.name.ends_with("_lo")) names.push_back(tensor.name);
  return names;
}

std::string problem_of(const StoredTensor& expected, const StoredTensor& answer) {
  if (answer.shape != expected.shape)
    return fmt::format("has shape {}; expected {}", ref::tensor::to_string(answer.shape),
                       ref::tensor::to_string(expected.shape));
  const bool whole = expected.dtype == DType::int64;
  // No format of 8 bits holds the numbers of another one.
  const bool fits = whole || answer.dtype == expected.dtype ||
                    (ref::io::is_float(expected.dtype) && ref::io::is_float(answer.dtype) &&
                     ref::io::item_size(answer.dtype) > 1 &&
                     unit_roundoff(answer.dtype) <= unit_roundoff(expected.dtype));
  if (fits) return {};
  return fmt::format("has dtype {}; expected {}{}", ref::io::to_string(answer.dtype),
                     ref::io::to_string(expected.dtype),
                     expected.dtype == DType::float64 || !ref::io::is_float(expected.dtype)
                         ? ""
                         : " or a wider one");
}

TensorResult without_comparison(const std::string& name, std::string problem) {
  TensorResult result;
  result.name = name;
  result.problem = std::move(problem);
  return result;
}

}  // namespace

bool CaseResult::passed() const {
  return !declined && problem.empty() && std::ranges::all_of(tensors, &TensorResult::passed);
}

Tolerance asked_tolerance(const Case& c, const CheckOptions& options) {
  return tolerance(c, options.accumulation ? *options.accumulation : usual_accumulation(c.dtype),
                   options.formula, options.flush_subnormals);
}

bool is_required(const StoredCase& stored, const std::string& output, const CheckOptions& options) {
  return options.outputs.empty()
             ? is_usually_required(stored, output)
             : std::ranges::find(options.outputs, output) != options.outputs.end();
}

std::vector<double> element_shares(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer,
                                   const std::string& output, const Tolerance& bounds) {
  return JudgedOutput(stored, answer, output, bounds).shares();
}

CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options) {
  return check_case(stored, answer, options, asked_tolerance(stored.description.c, options));
}

CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options, const Tolerance& bounds) {
  CaseResult result{stored.description, {}, {}, {}};
  const std::vector<std::string> known = outputs_of(stored);
  for (const StoredTensor& tensor : answer) {
    if (std::ranges::find(known, tensor.name) != known.end() || tensor.name.ends_with("_lo"))
      continue;
    result.problem = ref::numeric::unknown_name("tensor", tensor.name, known);
    return result;
  }
  for (const std::string& name : known) {
    const bool chosen = is_required(stored, name, options);
    const StoredTensor* const given = find(answer, name);
    if (given == nullptr) {
      if (chosen) result.tensors.push_back(without_comparison(name, "is absent"));
      continue;
    }
    if (!chosen && !options.outputs.empty()) continue;
    const std::string problem = problem_of(*find(stored.expected, name), *given);
    if (!problem.empty()) {
      result.tensors.push_back(without_comparison(name, problem));
      continue;
    }
    result.tensors.push_back(JudgedOutput(stored, answer, name, bounds).judge(options.maps));
    result.tensors.back().note = finer_than_expected(*find(stored.expected, name), *given);
  }
  if (result.tensors.empty())
    result.problem = fmt::format("none of the outputs {} is there; expected one of {}",
                                 fmt::join(options.outputs, ", "), fmt::join(known, ", "));
  return result;
}

}  // namespace normproof::verification::golden::gate
