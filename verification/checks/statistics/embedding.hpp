#pragma once

#include <cstddef>
#include <cstdint>

#include "ref/data/batching.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// A table of token embeddings as a model has it before the first step of training.
///
/// Computes  entry (v, d) = scale * RandomStream(seed, "embedding").normal(v D + d), rounded once
/// Shapes    the table [V,D]
struct EmbeddingTable {
  std::size_t vocab_size = 0;  // V
  std::size_t d_model = 0;     // D
  ref::tensor::Tensor<double> values;
};

/// Requires  (C1) V >= 1 and D >= 1  (C2) scale is finite
/// Throws    ContractError
EmbeddingTable make_embedding(std::uint64_t seed, std::size_t vocab_size, std::size_t d_model,
                              double scale = 1);

/// What a batch looks like to the first norm layer.
///
/// Computes  x_btd = table(token_bt, d), times pad_scale where the position is padding
/// Shapes    x [B,T,D]
/// Requires  (C1) every token is an id of the table
/// Throws    ContractError
ref::tensor::Tensor<double> embed(const EmbeddingTable& table, const ref::data::TokenBatch& batch,
                                  double pad_scale = 1);

/// The batch's mask [B,T], true = a real token.
ref::tensor::Mask valid_mask(const ref::data::TokenBatch& batch);

/// An upstream gradient: standard normal at real tokens, 0 at padding (a loss that leaves padding
/// out).
///
/// Computes  grad_y_btd = RandomStream(seed, "grad_y/<step>").normal((b T + t) D + d); <step> is
///           the decimal number
/// Shapes    grad_y [B,T,D]
ref::tensor::Tensor<double> upstream_gradient(std::uint64_t seed, std::size_t step,
                                              const ref::data::TokenBatch& batch,
                                              std::size_t d_model);

}  // namespace normproof::verification::checks::statistics
