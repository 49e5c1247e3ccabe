#include "verification/checks/statistics/embedding.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::statistics {

using ref::data::TokenBatch;
using ref::numeric::Clause;
using ref::numeric::contract_failure;
using ref::numeric::RandomStream;
using ref::tensor::Mask;
using ref::tensor::Tensor;

namespace {

constexpr std::size_t kMinNumbersPerThread = 4096;  // minimum number of random numbers per thread

}  // namespace

EmbeddingTable make_embedding(std::uint64_t seed, std::size_t vocab_size, std::size_t d_model,
                              double scale) {
  if (vocab_size == 0)
    contract_failure("make_embedding", "vocab_size", "is 0", "at least one token", Clause::C1);
  if (d_model == 0) contract_failure("make_embedding", "d_model", "is 0", "at least 1", Clause::C1);
  ref::tensor::check_option("make_embedding", "scale", scale, true, "a finite number", Clause::C2);
  EmbeddingTable table{vocab_size, d_model,
                       ref::tensor::empty_tensor<double>({vocab_size, d_model})};
  const RandomStream stream(seed, "embedding");
  double* const values = table.values.data();
  ref::numeric::parallel_for(table.values.size(), kMinNumbersPerThread,
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t i = begin; i < end; ++i)
                                 values[i] = scale * stream.normal(i);
                             });
  return table;
}

Tensor<double> embed(const EmbeddingTable& table, const TokenBatch& batch, double pad_scale) {
  const std::size_t d_model = table.d_model;
  auto x = ref::tensor::empty_tensor<double>({batch.batch_size, batch.seq_len, d_model});
  for (std::size_t row = 0; row < batch.tokens.size(); ++row) {
    const std::int32_t token = batch.tokens[row];
    if (token < 0 || static_cast<std::size_t>(token) >= table.vocab_size) {
      contract_failure("embed", fmt::format("batch.tokens[{}]", row), fmt::format("is {}", token),
                       fmt::format("an id below {}", table.vocab_size), Clause::C1);
    }
    const double* const from = table.values.data() + static_cast<std::size_t>(token) * d_model;
    const double scale = batch.valid[row] != 0 ? 1 : pad_scale;
    for (std::size_t d = 0; d < d_model; ++d) x.data()[row * d_model + d] = scale * from[d];
  }
  return x;
}

Mask valid_mask(const TokenBatch& batch) {
  auto valid = ref::tensor::empty_tensor<bool>({batch.batch_size, batch.seq_len});
  for (std::size_t row = 0; row < batch.valid.size(); ++row)
    valid.data()[row] = batch.valid[row] != 0;
  return valid;
}

Tensor<double> upstream_gradient(std::uint64_t seed, std::size_t step, const TokenBatch& batch,
                                 std::size_t d_model) {
  auto grad_y = ref::tensor::full_tensor<double>({batch.batch_size, batch.seq_len, d_model}, 0);
  const RandomStream stream(seed, fmt::format("grad_y/{}", step));
  const std::size_t grain = kMinNumbersPerThread / d_model + 1;
  ref::numeric::parallel_for(batch.valid.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (batch.valid[row] == 0) continue;
      for (std::size_t i = row * d_model; i < (row + 1) * d_model; ++i)
        grad_y.data()[i] = stream.normal(i);
    }
  });
  return grad_y;
}

}  // namespace normproof::verification::checks::statistics
