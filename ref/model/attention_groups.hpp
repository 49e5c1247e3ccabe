#pragma once

#include <cstddef>

namespace normproof::ref::model {

/// The heads of a sentence that attention computes together, while their scores are in the caches
/// of a core: all of them, or one; `scores` are those of one head. No bit depends on it, but what
/// attention refuses names them.
inline std::size_t heads_together(std::size_t num_heads, std::size_t scores,
                                  std::size_t bytes_of_scalar) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;  // of scores
  return num_heads * scores * bytes_of_scalar <= kBytes ? num_heads : 1;
}

}  // namespace normproof::ref::model
