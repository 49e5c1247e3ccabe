#include "verification/golden/gate/judged_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/gate/parts.hpp"

namespace normproof::verification::golden::gate {

using corpus::find;
using corpus::ulp_size;
using corpus::unit_roundoff;
using ref::numeric::oracle100;

namespace {

double round_up_to_double(const oracle100& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDU);
}

/// Whether a value is right where the exact value is NaN or -infinity. The order of operations
/// decides whether a result is infinite or NaN, so both are right for NaN.
bool is_right_if_not_finite(double exact, double value) {
  return std::isnan(exact) ? !std::isfinite(value) : value == exact;
}

}  // namespace

JudgedOutput::JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                           std::string name, const tolerance::Tolerance& bounds)
    : name_(std::move(name)),
      answer_(*find(answer, name_)),
      shape_(find(stored.expected, name_)->shape),
      exact_(compute_judged_values(stored, answer, name_, bounds)),
      vacuous_(find_vacuous_bounds(
          exact_, elements_per_part(stored.description.c, name_, exact_.high.size()))) {}

TensorResult JudgedOutput::judge(bool with_map) const {
  TensorResult result = compare_elements();
  if (with_map && !result.failed.empty()) result.map = make_error_ratio_map(shape_, error_ratios());
  return result;
}

/// Returns |error| / bound for each element; NaN if the bound is infinite.
std::vector<double> JudgedOutput::error_ratios() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> got = ref::io::widen(answer_);
  std::vector<double> error_ratios(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(exact_.high[i])) {
      error_ratios[i] = is_right_if_not_finite(exact_.high[i], got[i]) ? 0 : kInfinity;
      continue;
    }
    const double element_bound = exact_.bound[i];
    const double error = compute_error_at(i, got[i]);
    error_ratios[i] = std::isinf(element_bound) ? std::numeric_limits<double>::quiet_NaN()
                      : error == 0              ? 0
                      : element_bound == 0      ? kInfinity
                                                : error / element_bound;
  }
  return error_ratios;
}

ElementVerdict JudgedOutput::verdict(std::size_t i, double value) const {
  using enum ElementVerdict;
  if (!std::isfinite(exact_.high[i]))
    return is_right_if_not_finite(exact_.high[i], value) ? right : refused;
  const double element_bound = exact_.bound[i];
  if (std::isinf(element_bound)) return unjudged;
  if (!checks::compare::is_within(value, exact(i), element_bound)) return refused;
  return value == exact_.high[i] ? right : within;
}

TensorResult JudgedOutput::compare_elements() const {
  TensorResult result;
  result.name = name_;
  result.shape = shape_;
  result.item_size = ref::io::item_size(answer_.dtype);
  const std::vector<double> got = ref::io::widen(answer_);
  std::vector<std::size_t> judged;
  std::vector<double> bounds;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(exact_.high[i])) {
      ++result.count;
      if (is_right_if_not_finite(exact_.high[i], got[i])) continue;
      if (result.failed.empty()) at(result, i, got[i], 0);
      result.failed.push_back(i);
      result.ratio = std::numeric_limits<double>::infinity();
      continue;
    }
    const double element_bound = exact_.bound[i];
    if (std::isinf(element_bound)) {
      ++result.unjudged;
      continue;
    }
    judged.push_back(i);
    bounds.push_back(element_bound);
  }
  result.count += judged.size();
  if (judged.empty()) return result;
  for (std::size_t k = 0; k < judged.size(); ++k)
    if (const double magnitude = std::fabs(exact_.high[judged[k]]);
        magnitude > 0 && !vacuous_[judged[k]])
      result.smallest_found_error = std::min(result.smallest_found_error, bounds[k] / magnitude);
  const checks::compare::Comparison comparison = compare_judged_output(got, judged, bounds);
  add_metrics(got, judged, bounds, result);
  const bool nan_failed = !result.failed.empty();
  for (const std::size_t k : comparison.failed) result.failed.push_back(judged[k]);
  std::ranges::sort(result.failed);
  const auto unverified =
      static_cast<std::size_t>(std::ranges::count_if(judged, [&](std::size_t i) {
        return vacuous_[i] && !std::ranges::binary_search(result.failed, i);
      }));
  result.count -= unverified;
  result.vacuous = unverified;
  if (nan_failed && comparison.worst_ratio < std::numeric_limits<double>::infinity()) return result;
  result.ratio = comparison.worst_ratio;
  const std::size_t worst = judged[comparison.worst_index];
  at(result, worst, got[worst], comparison.worst_bound);
  if (comparison.worst_bound > 0)
    result.input_sensitivity = exact_.input_sensitivity[worst] / comparison.worst_bound;
  return result;
}

void JudgedOutput::at(TensorResult& result, std::size_t i, double got, double bound) const {
  result.where = ref::tensor::index_to_string(i, shape_);
  result.got = got;
  // An element of low that is not finite belongs to a value that is not finite either.
  result.exact = std::isfinite(exact_.high[i]) ? exact_.high[i] + exact_.low[i] : exact_.high[i];
  result.bound = bound;
}

oracle100 JudgedOutput::exact(std::size_t i) const {
  return oracle100(exact_.high[i]) + oracle100(exact_.low[i]);
}

checks::compare::Comparison JudgedOutput::compare_judged_output(
    const std::vector<double>& got, const std::vector<std::size_t>& judged,
    const std::vector<double>& bounds) const {
  const std::vector<std::size_t> shape = {judged.size()};
  auto a = ref::tensor::empty_tensor<double>(shape), c = ref::tensor::empty_tensor<double>(shape);
  auto b = ref::tensor::empty_tensor<oracle100>(shape);
  for (std::size_t k = 0; k < judged.size(); ++k) {
    a.data()[k] = got[judged[k]];
    b.data()[k] = exact(judged[k]);
    c.data()[k] = bounds[k];
  }
  return checks::compare::compare(a, b, c);
}

/// Returns |got - exact|, rounded up; infinity if `got` is not finite.
double JudgedOutput::compute_error_at(std::size_t i, double got) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const oracle100 difference = oracle100(got) - exact(i);
  return round_up_to_double(difference < 0 ? oracle100(-difference) : difference);
}

void JudgedOutput::add_metrics(const std::vector<double>& got,
                               const std::vector<std::size_t>& judged,
                               const std::vector<double>& bounds, TensorResult& result) const {
  const double half_of_the_digits = std::sqrt(unit_roundoff(answer_.dtype));
  double largest_exact = 0, largest_error = 0;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const std::size_t i = judged[k];
    const double magnitude = std::fabs(exact_.high[i]);
    largest_exact = std::max(largest_exact, magnitude);
    const double error = compute_error_at(i, got[i]);
    result.max_absolute = std::max(result.max_absolute, error);
    const bool is_within = error <= bounds[k];
    if (is_within ? bounds[k] > half_of_the_digits * magnitude
                  : std::isfinite(error) && magnitude <= bounds[k])
      continue;
    ++result.elements_with_digits;
    if (error == 0) continue;
    largest_error = std::max(largest_error, error);
    result.max_relative = std::max(result.max_relative, error / magnitude);
    result.max_ulp = std::max(result.max_ulp, error / ulp_size(exact_.high[i], answer_.dtype));
  }
  result.norm_wise = largest_error == 0 ? 0 : largest_error / largest_exact;
}

}  // namespace normproof::verification::golden::gate
