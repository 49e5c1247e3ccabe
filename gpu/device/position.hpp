#pragma once

#include <cstddef>

namespace normproof::gpu::device {

/// Which thread of which block.
struct Position {
  std::size_t block;
  int thread;
};

}  // namespace normproof::gpu::device
