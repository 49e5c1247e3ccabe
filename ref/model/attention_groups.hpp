#pragma once

#include <cstddef>

namespace normproof::ref::model {

/// Returns the number of heads of one sentence that attention computes together. If the scores of
/// all heads fit a core's caches, it is num_heads, otherwise 1. `scores` is the number of scores of
/// one head. The result does not affect the bits of attention. But it affects the error messages of
/// attention, which name all heads that are computed together.
inline std::size_t heads_per_group(std::size_t num_heads, std::size_t scores,
                                   std::size_t bytes_of_scalar) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;  // limit of the size of all scores
  return num_heads * scores * bytes_of_scalar <= kBytes ? num_heads : 1;
}

}  // namespace normproof::ref::model
