#pragma once

#include <vector>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// The evidence for the expected values of a case.
struct Certificate {
  long bits = 0;             ///< precision at which every element was decided
  std::size_t elements = 0;  ///< elements decided by enclosures; the others must be NaN
  std::size_t ties = 0;      ///< elements that are ties to within 2^-1100
  /// The width of the widest enclosure: less than 2^widest of its value, or less than 2^widest if
  /// the value is 0 or nearly.
  long widest = 0;
  long second_widest = 0;  ///< the same for the second enclosure, which overlaps the first
};

/// The expected outputs as exact numbers: <name> is the exact result rounded to nearest in the
/// dtype, <name>_lo (float64) is the exact result minus <name>, rounded to nearest. For an 8-bit
/// output, the result is divided by its scale first, and numbers out of range become the largest
/// number. The scales of blocks are in y_scale, which has no remainder.
struct Expected {
  std::vector<StoredTensor> tensors;  ///< the tensors in ascending order of names
  Certificate certificate;
};

/// Computes the expected outputs of a case and certifies them.
///
/// Computes  every output and the state of each step, for the exact inputs in exact arithmetic:
///           balls of growing precision, until both ends of each enclosure round to the same
///           numbers. An output element that depends on an infinite or NaN input is NaN; the others
///           are unaffected. `parallel_enclosures` computes the second enclosure on another thread,
///           which changes no bit
/// Requires  inputs that norm_step accepts, except that x and grad_y of a layer or function may
///           hold infinity and NaN; (C1) if the case is exact, every result is a number of the
///           dtype, and `double` computes it exactly
/// Throws    ContractError; std::runtime_error if 16384 bits do not decide an element, or if the
///           second enclosure, 50-digit MPFI intervals, does not overlap the first
Expected certify(const Case& c, bool parallel_enclosures = false);

/// Finite numbers that replace infinities and NaNs where finite inputs are needed: `first` replaces
/// the first of them, and each further one gets `apart` more.
struct Replacements {
  double first, apart;
};
inline constexpr Replacements kReplacements{.first = 0.75, .apart = 0};
/// Different replacements, no two equal: outputs that depend on one of them change, even if they
/// depend on differences only.
inline constexpr Replacements kOtherReplacements{.first = -2.5, .apart = 0.125};

/// Replaces every infinity and NaN of x and grad_y; returns whether there was one.
bool replace_not_finite(ref::model::OperationInputs& inputs, const Replacements& replacements);

}  // namespace normproof::verification::golden::certify
