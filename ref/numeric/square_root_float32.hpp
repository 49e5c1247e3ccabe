#pragma once

namespace normproof::ref::numeric {

/// Returns the IEEE square root of a float32, correctly rounded. With this overload a formula whose
/// scalar is float does not compute roots in double.
[[gnu::always_inline]] inline float square_root(float x) {
  return __builtin_sqrtf(x);
}

}  // namespace normproof::ref::numeric
