#pragma once

namespace normproof::ref::numeric {

/// IEEE square root, correctly rounded. Apart from elementary.hpp so that kernels compiled for one
/// instruction set need no other header.
[[gnu::always_inline]] inline double square_root(double x) {
  return __builtin_sqrt(x);
}

}  // namespace normproof::ref::numeric
