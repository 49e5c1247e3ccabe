#pragma once

#include "ref/model/tokens.hpp"
#include "ref/nn/row_gradient.hpp"

namespace normproof::ref::nn {

using model::Tokens;
using tensor::Tensor;

/// Returns the embedding vectors of tokens.
/// Source    docs/specification/encoder.md; scaled: [VSP+17] section 3.4
/// Computes  y_btd = weight_vd, where v is the id of token (b, t). If `scaled` is true, y_btd is
///           multiplied by sqrt(D) and rounded once
/// Shapes    weight [V,D]; y [B,T,D]
/// Requires  (C1) B and T are at least 1, and there are B T ids  (C2) 0 <= id < V
///           (C3) weight has rank 2
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> embedding(const Tokens& tokens, const Tensor<T>& weight, bool scaled = false);

/// Returns the gradient of the embedding's weight. It has only the rows whose ids occur among the
/// tokens.
/// Computes  row v is the sum of grad_y_bt over the tokens (b, t) whose id is v. If `scaled` is
///           true, the sum is multiplied by sqrt(D)
/// Shapes    grad_y [B,T,D]
/// Requires  (C4) grad_y has the shape of y for a weight [vocab_size,D]
/// Order     docs/specification/determinism.md, rule R3: ascending position, from +0
/// Throws    ContractError
template <numeric::Real T>
RowGradient<T> embedding_backward(const Tensor<T>& grad_y, const Tokens& tokens,
                                  std::size_t vocab_size, bool scaled = false);

/// Adds the stored rows of a RowGradient to a whole gradient [V,D], with one rounding per element.
template <class T>
void add_rows(Tensor<T>& whole, const RowGradient<T>& rows) {
  const std::size_t width = whole.shape(1);
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    for (std::size_t d = 0; d < width; ++d)
      whole.data()[rows.rows[r] * width + d] += rows.values.data()[r * width + d];
}

}  // namespace normproof::ref::nn
