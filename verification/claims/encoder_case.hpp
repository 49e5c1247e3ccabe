#pragma once

#include <string>
#include <vector>

#include "verification/claims/generators.hpp"
#include "verification/claims/stack.hpp"

namespace normproof::verification::claims {

/// The weights of one layer, [D,D] each, row-major: y = W x.
struct LayerWeights {
  std::vector<double> value, first, second;
};

/// An encoder as [XYH+20] section 3 takes it: one head, W_Q = W_K = 0, so that attention is the
/// mean over the tokens times W_V; W_O = 1, d_ff = D, ReLU, no biases, LayerNorm without gamma and
/// beta.
struct EncoderCase {
  std::size_t tokens = 1, d_model = 2;
  ref::model::NormPlacement placement = ref::model::NormPlacement::post;
  bool final_norm = false;
  double eps = 0;
  std::vector<LayerWeights> layers = {};
  std::vector<double> x = {}, grad_y = {};  ///< tokens * d_model, row-major

  template <class T>
  StackInputs<T> inputs(bool backward = true) const;
};

/// What encoders() draws.
struct EncoderKind {
  ref::model::NormPlacement placement = ref::model::NormPlacement::post;
  bool final_norm = false;
  std::size_t most_tokens = 1;
  std::size_t least_d_model = 3, most_d_model = 6;
  std::size_t least_layers = 1, most_layers = 3;
  bool positive_eps = false;  ///< eps from 1e-5 to 1; otherwise 0
  /// W_1, for pre-norm W_V too, and W_2 have one element in a row and in a column: +-1, and in W_2
  /// all +-2 or all +-1/2, since with +-1 what the last norm is given may vanish.
  bool orthogonal = false;
};

/// Encoders with normal numbers, or small multiples of 1/4 where eps is positive. They shrink by
/// dropping layers, tokens and features, by matrices that become 0, and element by element.
rc::Gen<EncoderCase> encoders(const EncoderKind& kind);

/// Network number `index` of a claim: x, grad_y and the weights have independent normal elements,
/// those of the weights with variance 1/D: a function of (seed, claim, kind, index).
EncoderCase gaussian_network(const Run& run, std::string_view kind, std::size_t index,
                             std::size_t tokens, std::size_t d_model, std::size_t layers);

/// The same for one token, with weights W = z v^T/(||v|| sqrt(D)), z normal, where v is the one
/// vector that W meets: W v is distributed as with a Gaussian W, and so are the states and the
/// gradient by W_2 of the last layer. A layer takes 3 D normal numbers in place of 3 D^2.
EncoderCase network_in_law(const Run& run, ref::model::NormPlacement placement, std::size_t index,
                           std::size_t d_model, std::size_t layers);

/// "x = ((1, 0)), grad_y = ((0, 1)), eps = 1, layer 0: W_V = ((..), (..)), ...", what is 0 left
/// out.
std::string show(const EncoderCase& c);

}  // namespace normproof::verification::claims
