#pragma once

#include <vector>

#include "verification/claims/slice.hpp"

namespace normproof::verification::claims {

using Vector = std::vector<oracle50>;

/// What one layer makes of one slice: a batch of one channel ([B,1]), or one token ([1,D]).
struct Channel {
  Vector y, grad_x;
};

/// Which way a slice lies in x.
enum class Axis { batch, features };

/// One training step of the subject at 50 digits, from the initial state, without gamma and beta.
Channel channel_step(const Subject& subject, const NormOptions& options, const Vector& x,
                     const Vector& grad_y, Axis axis = Axis::batch);

/// The options of the two layers with this eps; the running variance is the biased one.
NormOptions batch_norm_with(double eps);
NormOptions power_norm_v_with(double eps);

oracle50 dot(const Vector& a, const Vector& b);
oracle50 square(const Vector& a);
Vector wide(const std::vector<double>& values);
Vector unit(std::size_t size, std::size_t at);  ///< e_at
std::vector<double> narrow(const Vector& values);

/// v without its parts along 1 and along x: an upstream gradient that reaches the operator norm of
/// the backward of both PN-V and BatchNorm. Near zero where v lies in their span.
Vector without_one_and(const Vector& x, const Vector& v);

/// One channel without gamma, eps = 0, x not constant (`spread`) or not zero.
rc::Gen<Batch> channels(std::size_t least_rows, std::size_t most_rows, bool spread,
                        std::size_t extras = 0);

// The claims of group B, by subject.
std::vector<Claim> norm_identity_claims();  ///< B1 to B5
std::vector<Claim> lipschitz_claims();      ///< B6, B7, B8, B16
std::vector<Claim> same_gradient_claims();  ///< B9 to B12
std::vector<Claim> premise_claims();        ///< B13, B14, B15
std::vector<Claim> invariance_claims();     ///< B17, B18

}  // namespace normproof::verification::claims
