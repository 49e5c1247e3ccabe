#pragma once

#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;
using ref::io::DType;

/// The form of a candidate. `two_pass`: differences are taken first, as in (x - m) r, and a
/// variance is the mean of squared distances from the mean, in any way that is as good (Welford's,
/// a tree of partial ones). `folded`: a factor may be multiplied into a difference, as in
/// x r - m r, which loses what cancels. `one_pass`: so may it, and a variance is E[x^2] - E[x]^2.
enum class Formula { two_pass, folded, one_pass };
inline constexpr Formula kFormulas[] = {Formula::two_pass, Formula::folded, Formula::one_pass};
std::string_view to_string(Formula formula);
/// Throws    UsageError with the nearest known name
Formula formula_of(std::string_view name);

/// Whether the operation takes a variance, and one pass is another form of it.
bool takes_variance(const Case& c);

/// How far a correct implementation may be from the exact result of a case, element by element.
///
/// Source    docs/derivations/error_analysis.md, section 8: any order of the sums, 2 units in the last place in
///           any other operation; then one rounding to the dtype that the answer is stored in. In
///           a case whose operations are exact, sums and products are, unless `accumulation` is
///           coarser than usual
/// Computes  the bound of each output for `accumulation` and `formula` (the later ones are met by
///           the earlier; one_pass is folded where the layer is not centred); infinite where it
///           claims nothing, which includes what an infinity or a NaN of the inputs reaches, and
///           what may overflow the dtype of the answer and has fewer digits than that, and an
///           output of a model of the caller's of which every bound is wider than every number. Of
///           an output by a given scale it is in units of that; by the scales of blocks, as without
struct Tolerance {
  ref::tensor::NamedTensors<double> bound;
  bool flushes = false;  ///< subnormal numbers may be 0: in the arithmetic, and where one is stored
  /// What one rounding of every input and option to the dtype of the case may move: where a bound
  /// is no larger than this, the inputs themselves do not say more.
  ref::tensor::NamedTensors<double> of_the_inputs;
};
Tolerance derive_tolerance(const Case& c, Accumulation accumulation,
                           Formula formula = Formula::two_pass, bool flushes = false);

/// What a candidate computes in. Where it does not say that it flushes subnormal numbers to 0, an
/// operation whose result is one is off by 2 units in the last place, as any other.
ref::numeric::Arithmetic candidate_arithmetic(Accumulation accumulation, bool flushes);

/// The bound with the rounding to the dtype of storage added, for an exact value and what remains
/// of it: at most twice the bound where the dtype holds the value; 0 for a count. In 8 bits it is
/// how far what saturating rounding makes of the numbers within the bound is from the exact value.
/// `flushes`: a subnormal number of the dtype may be stored as 0.
double with_storage(double bound, double exact, double remainder, DType stored,
                    bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
