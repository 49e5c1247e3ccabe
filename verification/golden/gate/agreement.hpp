#pragma once

#include <optional>
#include <vector>

#include "verification/golden/gate/failing_outputs.hpp"

/// Whether the outputs of a candidate agree with those of a wrong implementation.
namespace normproof::verification::golden::gate {

/// An output agrees with a wrong implementation if their distance is at most this number times the
/// error bound of the correct formula, plus some unit roundoffs of the wrong value. The factor is
/// larger than 1, because the output and the wrong implementation may each be off by the bound of
/// the wrong formula, which is about as large as that of the correct formula.
inline constexpr double kAgreementBoundFactor = 4;

/// Whether a dtype of this unit roundoff has at most 16 bits.
bool has_few_digits(double unit_roundoff);

/// Returns |a - b|. It is 0 if neither is finite, and infinite if only one of them is.
double distance(double a, double b);

/// Returns the largest distance between a failing output and `other`, the outputs of a wrong
/// implementation, in ulps of the largest element. `right` are the outputs of that implementation
/// without its mistake. Returns nothing if the output does not agree.
///
/// Computes  the output agrees if each element does (kAgreementBoundFactor), if the wrong
///           implementation explains the elements that failed, and if the output is much closer to
///           it than to the exact values and to `right`
std::optional<double> find_distance_if_agreeing(const FailingOutput& f,
                                                const std::vector<StoredTensor>& other,
                                                const std::vector<StoredTensor>& right);

/// Whether every element of an output is as near to `other` as find_distance_if_agreeing requires.
bool is_near(const FailingOutput& f, const std::vector<double>& other);

/// Whether a mistake may be that of a candidate that does not agree with it: the outputs `mistaken`
/// differ from `right`, but by so little that rounding errors within the bounds can hide it from
/// find_distance_if_agreeing. Such a case does not refute the mistake.
bool is_hidden(const std::vector<FailingOutput>& failing, const std::vector<StoredTensor>& mistaken,
               const std::vector<StoredTensor>& right);

}  // namespace normproof::verification::golden::gate
