#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::nn {

using device::Device;
using device::DeviceTensor;

/// The token ids of a batch, [B,T] in row-major order.
struct Tokens {
  std::size_t batch_size = 0;
  std::size_t seq_len = 0;
  std::vector<std::int32_t> ids;
};

/// The gradient of an embedding [V,D], stored by rows: it holds only the rows of the tokens that
/// occur in the batch. All other rows of the gradient are 0.
struct RowGradient {
  std::vector<std::size_t> rows;  ///< ascending and distinct
  DeviceTensor<double> values;    ///< [R,D], the gradients of the R rows
};

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/nn/embedding.hpp.
/// Throws    ContractError
DeviceTensor<double> embedding(const Tokens& tokens, const DeviceTensor<double>& weight,
                               bool scaled = false);
RowGradient embedding_backward(const DeviceTensor<double>& grad_y, const Tokens& tokens,
                               std::size_t vocab_size, bool scaled = false);

/// Adds a gradient stored by rows to a full gradient [V,D], with one rounding per element.
void add_rows(DeviceTensor<double>& whole, const RowGradient& rows);

}  // namespace normproof::gpu::nn
