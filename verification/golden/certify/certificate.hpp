#pragma once

#include <vector>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

/// The evidence that the expected values of a case are correct.
struct Certificate {
  long bits = 0;  ///< the precision in bits that sufficed to round every element
  /// The number of elements whose value was determined by enclosures. All other elements are NaN.
  std::size_t elements = 0;
  /// The number of elements whose exact value is the midpoint of two numbers of the dtype, to
  /// within a relative distance of 2^-1100.
  std::size_t ties = 0;
  /// The relative width of the widest enclosure, as an exponent of 2. If the enclosed value is 0 or
  /// nearly 0, the absolute width counts instead.
  long widest = 0;
  /// The relative width of the widest second enclosure, as an exponent of 2. The second enclosure
  /// of an element is computed by other means and must overlap the first one.
  long second_widest = 0;
};

/// The expected outputs of a case. Each output has two tensors:
/// - `<name>`: the exact result rounded to the nearest number of the dtype,
/// - `<name>_lo` (float64): the exact result minus `<name>`, rounded to nearest.
/// An 8-bit output is divided by its scale before it is rounded, and values out of range become the
/// largest number. The scales of blocks are the tensor y_scale, which has no remainder.
struct Expected {
  std::vector<StoredTensor> tensors;  ///< the tensors, sorted by name
  Certificate certificate;
};

/// Computes the expected outputs of a case and certifies them.
///
/// Computes  every output and the state of each step from the exact inputs. The results are
///           enclosed in balls whose precision is increased until both ends of each enclosure round
///           to the same number. An output element that depends on an infinite or NaN input is NaN,
///           unless the infinity is a limit (not_finite.hpp); other elements are unaffected. If
///           `parallel_enclosures` is set, the second enclosure is computed on another thread,
///           which changes no bit. The second enclosure is by 50-digit MPFI intervals; in a user's
///           case with a dtype of at most 32 bits, it is by `double` with running error bounds
/// Requires  inputs that norm_step accepts, except that x and grad_y of a layer or function may
///           contain infinity and NaN; (C1) if the case is exact, every result is a number of the
///           dtype, and `double` computes it exactly
/// Throws    ContractError; std::runtime_error if 16384 bits do not suffice to round an element, or
///           if the second enclosure does not overlap the first
Expected certify(const Case& c, bool parallel_enclosures = false);

/// Computes and certifies the expected outputs of a case block by block, so that the enclosures of
/// few rows exist at a time. An output that is a sum over rows is enclosed by the sum of the
/// enclosures of the blocks.
///
/// Computes  the tensors of certify, bit for bit: an element has one nearest number, whatever
///           encloses it. `threads` blocks are certified at a time; neither their number nor the
///           size of the blocks changes the tensors. If there is one block, the two enclosures of
///           the case are computed in parallel instead
/// Throws    the exceptions of certify and of `progress`, which is called on the caller's thread
Expected certify_in_blocks(const Case& c, const RowBlocks& blocks, int threads,
                           const Progress& progress = {});

}  // namespace normproof::verification::golden::certify
