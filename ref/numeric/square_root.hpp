#pragma once

namespace normproof::ref::numeric {

/// Returns the IEEE square root, which is correctly rounded. It has its own header, so that kernels
/// that are compiled for one instruction set need not include elementary.hpp.
[[gnu::always_inline]] inline double square_root(double x) {
  return __builtin_sqrt(x);
}

}  // namespace normproof::ref::numeric
