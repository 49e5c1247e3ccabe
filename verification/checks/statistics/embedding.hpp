#pragma once

#include <cstddef>
#include <cstdint>

#include "ref/data/batching.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// A table of random token embeddings, similar to the embedding of a model before the first
/// training step.
///
/// Computes  entry (v, d) = scale * RandomStream(seed, "embedding").normal(v D + d), rounded once
/// Shapes    the table [V,D]
struct EmbeddingTable {
  std::size_t vocab_size = 0;  // V
  std::size_t d_model = 0;     // D
  ref::tensor::Tensor<double> values;
};

/// Makes the embedding table of a seed.
/// Requires  (C1) V >= 1 and D >= 1  (C2) scale is finite
/// Throws    ContractError
EmbeddingTable make_embedding(std::uint64_t seed, std::size_t vocab_size, std::size_t d_model,
                              double scale = 1);

/// Looks up the embeddings of a batch. They are the input of the first norm layer.
///
/// Computes  x_btd = table(token_bt, d), multiplied by pad_scale if the position is padding
/// Shapes    x [B,T,D]
/// Requires  (C1) every token is an id of the table
/// Throws    ContractError
ref::tensor::Tensor<double> embed(const EmbeddingTable& table, const ref::data::TokenBatch& batch,
                                  double pad_scale = 1);

/// Returns the batch's mask [B,T], true at real tokens.
ref::tensor::Mask valid_mask(const ref::data::TokenBatch& batch);

/// Makes an upstream gradient of the first norm layer: standard normal at real tokens and 0 at
/// padding, as for a loss that ignores padding.
///
/// Computes  grad_y_btd = RandomStream(seed, "grad_y/<step>").normal((b T + t) D + d). <step> is
///           the number of the step in decimal
/// Shapes    grad_y [B,T,D]
ref::tensor::Tensor<double> upstream_gradient(std::uint64_t seed, std::size_t step,
                                              const ref::data::TokenBatch& batch,
                                              std::size_t d_model);

}  // namespace normproof::verification::checks::statistics
