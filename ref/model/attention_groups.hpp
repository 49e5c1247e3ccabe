#pragma once

#include <cstddef>

namespace normproof::ref::model {

/// Returns how many heads of a sentence attention computes together: all of them if their scores
/// fit in a core's caches, otherwise one. `scores` is the number of scores of one head. The choice
/// does not affect the bits, but error messages of attention name the heads of a group.
inline std::size_t heads_per_group(std::size_t num_heads, std::size_t scores,
                                   std::size_t bytes_of_scalar) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;  // limit for the scores of the heads
  return num_heads * scores * bytes_of_scalar <= kBytes ? num_heads : 1;
}

}  // namespace normproof::ref::model
