#pragma once

#include <vector>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// How sure the expected values are.
struct Certificate {
  long bits = 0;             ///< precision at which every element was decided
  std::size_t elements = 0;  ///< decided by enclosures; the rest has to be NaN
  std::size_t ties = 0;      ///< of them, halfway between two numbers as far as 2^-1100 tells
  long widest = 0;           ///< every enclosure is narrower than 2^widest of its value, or of 1
  long second_widest = 0;    ///< the same of the second enclosure, which overlaps each
};

/// What a correct implementation answers, as exact numbers: <name> is the exact result rounded to
/// nearest in the dtype, <name>_lo (float64) the exact result minus <name>, rounded to nearest. Of
/// an output of 8 bits the result is that by its scale, and what is beyond the range is the largest
/// number; scales of blocks are y_scale, which has no remainder.
struct Expected {
  std::vector<StoredTensor> tensors;  ///< in ascending order of names
  Certificate certificate;
};

/// Computes  every output and the state of each step, for the exact inputs in exact arithmetic:
///           balls of growing precision until both ends of each enclosure round to the same
///           numbers. An infinity or NaN among the inputs makes NaN of what depends on it, and
///           leaves the rest. With `side_by_side` the second enclosure is on a thread of its own,
///           which changes no bit
/// Requires  inputs that norm_step takes, but for infinity and NaN in x and grad_y of a layer or a
///           function; (C1) where the case is exact, every result is a number of the dtype, and
///           `double` finds it
/// Throws    ContractError; std::runtime_error where 16384 bits do not decide, or where the
///           second enclosure, intervals of 50 digits by MPFI, does not overlap the first
Expected certify(const Case& c, bool side_by_side = false);

/// What stands in for infinities and NaN where something finite has to be evaluated: for the first
/// of them, and how much more for each that follows.
struct StandIns {
  double first, apart;
};
inline constexpr StandIns kStandIns{.first = 0.75, .apart = 0};
/// Others, no two the same: what depends on one of them differs, be it on their differences alone.
inline constexpr StandIns kOtherStandIns{.first = -2.5, .apart = 0.125};

/// The inputs with every infinity and NaN of x and grad_y replaced; whether there was one.
bool replace_not_finite(ref::model::OperationInputs& inputs, const StandIns& stand_ins);

}  // namespace normproof::verification::golden::certify
