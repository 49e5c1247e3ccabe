#include "verification/golden/gate/judged_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "verification/golden/certify/certificate.hpp"

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

std::size_t count_elements(const StoredTensor& tensor) {
  return tensor.bytes.size() / ref::io::item_size(tensor.dtype);
}

}  // namespace

JudgedOutput::JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                           std::string name, const tolerance::Tolerance& bounds)
    : name_(std::move(name)),
      answer_(*find(answer, name_)),
      range_{0, count_elements(answer_)},
      exact_(compute_judged_values(stored, answer, name_, bounds)) {}

JudgedOutput::JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                           std::string name, const tolerance::Tolerance& bounds, ElementRange range)
    : name_(std::move(name)),
      answer_(*find(answer, name_)),
      range_(range),
      exact_(compute_judged_values(stored, answer, name_, bounds, range)) {}

/// Returns |error| / bound for each element; NaN if the bound is infinite.
std::vector<double> JudgedOutput::error_ratios() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> got = widen_range(answer_, range_);
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

void JudgedOutput::compare_elements(TensorResult& result, Extremes& extremes) const {
  const std::vector<double> got = widen_range(answer_, range_);
  std::vector<std::size_t> judged;
  std::vector<double> bounds;
  const auto element = [&](std::size_t i, double ratio, double bound) {
    // An element of low that is not finite belongs to a value that is not finite either.
    const double high = exact_.high[i];
    return Extremes::Element{range_.begin + i,
                             ratio,
                             got[i],
                             std::isfinite(high) ? high + exact_.low[i] : high,
                             bound,
                             exact_.input_sensitivity[i]};
  };
  const auto first_failed = static_cast<std::ptrdiff_t>(result.failed.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(exact_.high[i])) {
      ++result.count;
      if (is_right_if_not_finite(exact_.high[i], got[i])) continue;
      if (!extremes.not_finite)
        extremes.not_finite = element(i, std::numeric_limits<double>::infinity(), 0);
      result.failed.push_back(range_.begin + i);
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
  if (judged.empty()) return;
  const checks::compare::Comparison comparison = compare_judged_output(got, judged, bounds);
  add_metrics(got, judged, bounds, result, extremes);
  for (const std::size_t k : comparison.failed) result.failed.push_back(range_.begin + judged[k]);
  std::sort(result.failed.begin() + first_failed, result.failed.end());
  if (!extremes.worst || comparison.worst_ratio > extremes.worst->ratio)
    extremes.worst =
        element(judged[comparison.worst_index], comparison.worst_ratio, comparison.worst_bound);
}

oracle100 JudgedOutput::exact(std::size_t i) const {
  return oracle100(exact_.high[i]) + oracle100(exact_.low[i]);
}

/// Compares the judged elements. `double` decides about most of them: those that are certainly
/// within their bounds, and whose ratio of error to bound is certainly not the largest.
checks::compare::Comparison JudgedOutput::compare_judged_output(
    const std::vector<double>& got, const std::vector<std::size_t>& judged,
    const std::vector<double>& bounds) const {
  const std::vector<std::size_t> open = find_open_elements(got, judged, bounds);
  const std::vector<std::size_t> shape = {open.size()};
  auto a = ref::tensor::empty_tensor<double>(shape), c = ref::tensor::empty_tensor<double>(shape);
  auto b = ref::tensor::empty_tensor<oracle100>(shape);
  for (std::size_t k = 0; k < open.size(); ++k) {
    a.data()[k] = got[judged[open[k]]];
    b.data()[k] = exact(judged[open[k]]);
    c.data()[k] = bounds[open[k]];
  }
  checks::compare::Comparison comparison = checks::compare::compare(a, b, c);
  for (std::size_t& k : comparison.failed) k = open[k];
  comparison.worst_index = open[comparison.worst_index];
  return comparison;
}

/// Returns the indices of the judged elements about which `double` does not decide, in ascending
/// order. The element with the largest ratio is one of them.
std::vector<std::size_t> JudgedOutput::find_open_elements(const std::vector<double>& got,
                                                          const std::vector<std::size_t>& judged,
                                                          const std::vector<double>& bounds) const {
  // Each of the two subtractions is rounded once, by at most 2^-53 of its result.
  constexpr double kSlack = 0x1p-51;
  std::vector<double> largest(judged.size());
  double largest_least = 0;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const double high = exact_.high[judged[k]], low = exact_.low[judged[k]];
    const double away = (got[judged[k]] - high) - low;
    const double off = kSlack * (std::fabs(away) + std::fabs(low));
    largest[k] = (std::fabs(away) + off) / bounds[k] * (1 + kSlack);
    largest_least = std::max(largest_least, (std::fabs(away) - off) / bounds[k] * (1 - kSlack));
  }
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < judged.size(); ++k)
    if (!(largest[k] < largest_least && largest[k] < 1)) open.push_back(k);
  return open;
}

/// Returns |got - exact|, rounded up; infinity if `got` is not finite.
double JudgedOutput::compute_error_at(std::size_t i, double got) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const oracle100 difference = oracle100(got) - exact(i);
  return round_up_to_double(difference < 0 ? oracle100(-difference) : difference);
}

void JudgedOutput::add_metrics(const std::vector<double>& got,
                               const std::vector<std::size_t>& judged,
                               const std::vector<double>& bounds, TensorResult& result,
                               Extremes& extremes) const {
  const double half_of_the_digits = std::sqrt(unit_roundoff(answer_.dtype));
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const std::size_t i = judged[k];
    const double magnitude = std::fabs(exact_.high[i]);
    extremes.largest_exact = std::max(extremes.largest_exact, magnitude);
    const double error = compute_error_at(i, got[i]);
    result.max_absolute = std::max(result.max_absolute, error);
    const bool is_within = error <= bounds[k];
    if (is_within ? bounds[k] > half_of_the_digits * magnitude
                  : std::isfinite(error) && magnitude <= bounds[k])
      continue;
    ++result.elements_with_digits;
    if (error == 0) continue;
    extremes.largest_error = std::max(extremes.largest_error, error);
    result.max_relative = std::max(result.max_relative, error / magnitude);
    result.max_ulp = std::max(result.max_ulp, error / ulp_size(exact_.high[i], answer_.dtype));
  }
}

TensorResult judge_output(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                          const std::string& name, const tolerance::Tolerance& bounds,
                          bool with_map, std::vector<Part>* stored_parts) {
  constexpr std::size_t kElementsAtOnce = 16384;
  TensorResult result;
  result.name = name;
  result.item_size = ref::io::item_size(find(answer, name)->dtype);
  result.shape = find(stored.expected, name)->shape;
  JudgedOutput::Extremes extremes;
  const std::size_t count = count_elements(*find(answer, name));
  const std::size_t step = is_judged_in_ranges(stored, name) ? kElementsAtOnce : count;
  const std::size_t length = elements_per_part(stored.description.c, name, count);
  std::vector<Part> parts(length == 0 ? 0 : count / length);
  for (std::size_t begin = 0; begin < count; begin += step) {
    const JudgedOutput judged(stored, answer, name, bounds, {begin, std::min(count, begin + step)});
    judged.compare_elements(result, extremes);
    judged.add_to_parts(length, parts);
  }
  std::vector<bool> vacuous;
  for (const Part& part : parts) {
    vacuous.push_back(part.is_vacuous());
    if (!part.is_vacuous())
      result.smallest_found_error = std::min(result.smallest_found_error, part.smallest_error);
  }
  result.vacuous = count_passed(parts, vacuous, length, result.failed);
  result.count -= result.vacuous;
  result.norm_wise =
      extremes.largest_error == 0 ? 0 : extremes.largest_error / extremes.largest_exact;
  const bool is_worst_infinite = extremes.worst && std::isinf(extremes.worst->ratio);
  const auto& shown =
      extremes.not_finite && !is_worst_infinite ? extremes.not_finite : extremes.worst;
  if (shown) {
    result.ratio = shown->ratio;
    result.where = ref::tensor::index_to_string(shown->index, result.shape);
    result.got = shown->got;
    result.exact = shown->exact;
    result.bound = shown->bound;
    if (shown->bound > 0) result.input_sensitivity = shown->input_sensitivity / shown->bound;
  }
  if (with_map && !result.failed.empty())
    result.map =
        make_error_ratio_map(result.shape, error_to_bound_ratios(stored, answer, name, bounds));
  if (stored_parts != nullptr) *stored_parts = std::move(parts);
  return result;
}

}  // namespace normproof::verification::golden::gate
