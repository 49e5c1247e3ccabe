#include "verification/golden/gate/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normproof::verification::golden::gate {

using corpus::find;

namespace {

/// A mutation is accepted as the explanation of an output only if the output is close to the values
/// of the mutation. Let d be the distance from these values. The output's distance from the exact
/// values must be at least this factor times d. Its distance from the values of the implementation
/// without mutation must be at least as large. This excludes mutations that change nothing.
constexpr double kRequiredMargin = 8;
/// The margin if d is more than kMaxUlpsOfRounding ulps. The order of a sum then no longer explains
/// d, and another mistake of about the same size may be the cause, such as a sum that lacks one
/// element of 1,000 for a sum that is divided by n - 1.
constexpr double kRequiredMarginIfFar = 64, kMaxUlpsOfRounding = 32;

double required_margin(double ulps) {
  return ulps > kMaxUlpsOfRounding ? kRequiredMarginIfFar : kRequiredMargin;
}

/// Returns a distance in ulps of the largest element, `magnitude`.
double in_ulps(double distance, const FailingOutput& f, double magnitude) {
  return distance == 0 ? 0 : distance / (2 * f.unit * magnitude);
}

double largest_finite_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  return largest;
}

/// Returns the number of unit roundoffs of a wrong value by which an output may be off. A number of
/// 16 bits was computed in more digits and rounded once, or twice.
double allowed_roundoffs(double unit_roundoff) {
  return has_few_digits(unit_roundoff) ? 4 : 64;
}

/// Returns the largest bound of an output that is not NaN. The bound of an element is NaN if its
/// exact value is not finite.
double largest_known_bound(const FailingOutput& f) {
  double largest = 0;
  for (const double bound : f.bound)
    if (!std::isnan(bound)) largest = std::max(largest, bound);
  return largest;
}

/// Whether the values of a mutation explain the elements that failed: each of these elements is
/// closer to the mutation than to the exact value, and the mutation fails in most of them. It need
/// not fail in all, because the error of an element may be just above its bound.
bool explains_failed_elements(const FailingOutput& f, const std::vector<double>& values) {
  std::size_t failing = 0;
  for (const std::size_t i : f.failed) {
    const double away = distance(f.got[i], values[i]);
    if (away != 0 && !(away < distance(f.got[i], f.exact[i]))) return false;
    if (!(distance(values[i], f.exact[i]) <= f.bound[i])) ++failing;
  }
  return 4 * failing >= 3 * f.failed.size();
}

/// Whether an output of 8 bits has the values of a mutation, except for a few elements that are
/// beside a tie. The bound of an element includes a rounding to few digits, so that many mistakes
/// are within some bounds of each other.
bool has_same_8_bits(const FailingOutput& f, const std::vector<double>& values) {
  constexpr std::size_t kElementsPerTie = 16;
  std::size_t different = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (distance(f.got[i], values[i]) != 0) ++different;
  return different * kElementsPerTie <= values.size();
}

/// Whether the effect of a mistake on an output is so large that the rounding errors of an
/// implementation with this mistake, which are within the bounds, leave the margin that
/// find_distance_if_agreeing requires.
bool is_effect_visible(const FailingOutput& f, const std::vector<double>& mistaken) {
  double effect = 0;
  for (std::size_t i = 0; i < mistaken.size(); ++i)
    effect = std::max(effect, distance(mistaken[i], f.exact[i]));
  const double largest_bound = largest_known_bound(f);
  const double ulps = in_ulps(largest_bound, f, largest_finite_magnitude(mistaken));
  return effect > required_margin(ulps) * largest_bound;
}

}  // namespace

bool has_few_digits(double unit_roundoff) {
  return unit_roundoff > 0x1p-20;
}

double distance(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return std::isfinite(a) == std::isfinite(b) ? 0 : std::numeric_limits<double>::infinity();
  return std::fabs(a - b);
}

bool is_near(const FailingOutput& f, const std::vector<double>& other) {
  if (other.size() != f.got.size()) return false;
  const double largest_bound = largest_known_bound(f);
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double away = distance(f.got[i], other[i]);
    // If the wrong value is larger than the correct one, its bound is larger too.
    const double scale =
        std::isfinite(other[i]) ? allowed_roundoffs(f.unit) * f.unit * std::fabs(other[i]) : 0;
    const double bound = std::isnan(f.bound[i]) ? largest_bound : f.bound[i];
    if (away != 0 && !(away <= kAgreementBoundFactor * bound + scale)) return false;
  }
  return true;
}

std::optional<double> find_distance_if_agreeing(const FailingOutput& f,
                                                const std::vector<StoredTensor>& other,
                                                const std::vector<StoredTensor>& right) {
  const StoredTensor* const tensor = find(other, f.name);
  const StoredTensor* const plain = find(right, f.name);
  if (tensor == nullptr || plain == nullptr || *tensor == *plain) return std::nullopt;
  const std::vector<double> values = ref::io::widen(*tensor);
  if (!is_near(f, values) || !explains_failed_elements(f, values)) return std::nullopt;
  if (ref::io::item_size(f.dtype) == 1 && !has_same_8_bits(f, values)) return std::nullopt;
  const std::vector<double> unmutated = ref::io::widen(*plain);
  double largest = 0, to_exact = 0, to_right = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, distance(f.got[i], values[i]));
    to_exact = std::max(to_exact, distance(f.got[i], f.exact[i]));
    if (i < unmutated.size()) to_right = std::max(to_right, distance(f.got[i], unmutated[i]));
  }
  // Many wrong formulas produce only NaN, so a NaN output does not tell them apart.
  const bool is_any_finite = std::ranges::any_of(f.got, [](double v) { return std::isfinite(v); });
  const double ulps = in_ulps(largest, f, largest_finite_magnitude(values));
  const double farthest = required_margin(ulps) * largest;
  if (!is_any_finite || !(farthest <= std::min(to_exact, to_right))) return std::nullopt;
  return ulps;
}

bool is_hidden(const std::vector<FailingOutput>& failing, const std::vector<StoredTensor>& mistaken,
               const std::vector<StoredTensor>& right) {
  bool has_effect = false;
  for (const FailingOutput& f : failing) {
    const StoredTensor* const tensor = find(mistaken, f.name);
    const StoredTensor* const plain = find(right, f.name);
    if (tensor == nullptr || plain == nullptr || *tensor == *plain) continue;
    has_effect = true;
    const std::vector<double> values = ref::io::widen(*tensor);
    if (values.size() != f.exact.size()) return true;
    if (is_effect_visible(f, values)) return false;
  }
  return has_effect;
}

}  // namespace normproof::verification::golden::gate
