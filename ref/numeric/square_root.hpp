#pragma once

namespace normproof::ref::numeric {

/// Returns the IEEE square root, correctly rounded. It is not in elementary.hpp, so that kernels
/// compiled for one instruction set need no other header.
[[gnu::always_inline]] inline double square_root(double x) {
  return __builtin_sqrt(x);
}

}  // namespace normproof::ref::numeric
