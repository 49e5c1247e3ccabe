#pragma once

#include <vector>

#include "verification/claims/fixtures/encoder_case.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;
using engine::Judgement;
using engine::Tensor;

/// The precision, in bits, of the ball arithmetic in claims about encoders.
inline constexpr slong kEncoderBits = 256;

/// Judges whether two enclosed numbers may be equal: their enclosures must overlap. `attained` is
/// the distance of the centers divided by the sum of the radii.
/// Throws    ContractError if an enclosure is not finite, because it would overlap everything
Judgement judge_overlap(const ref::numeric::ball& a, const ref::numeric::ball& b);

/// Returns the sum of squares of `count` elements from element `begin` on. The overload without
/// `count` and `begin` adds all elements.
template <class T>
T square_sum(const Tensor<T>& values, std::size_t begin, std::size_t count) {
  T sum(0);
  for (std::size_t i = begin; i < begin + count; ++i) sum += values.data()[i] * values.data()[i];
  return sum;
}
template <class T>
T square_sum(const Tensor<T>& values) {
  return square_sum(values, 0, values.size());
}

/// Returns the name of an intermediate tensor of a layer, such as "layers.2.norm1.x".
std::string layer_value_name(std::size_t layer, const char* name);

// The claims of group E, by topic.
std::vector<Claim> length_claims();         ///< E1, E2, E3, E10
std::vector<Claim> jacobian_norm_claims();  ///< E4, E5, E11
std::vector<Claim> last_layer_claims();     ///< E6 to E9
std::vector<Claim> gradient_path_claims();  ///< E12 to E15

}  // namespace normproof::verification::claims::ledger
