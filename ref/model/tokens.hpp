#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::model {

/// The token ids of a batch, [B,T] in row-major order.
struct Tokens {
  std::size_t batch_size = 0;
  std::size_t seq_len = 0;
  std::vector<std::int32_t> ids;
};

}  // namespace normproof::ref::model
