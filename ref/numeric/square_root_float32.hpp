#pragma once

namespace normproof::ref::numeric {

/// Returns the IEEE square root of a float32, which is correctly rounded. Without this overload, a
/// formula on float would compute its square roots in double.
[[gnu::always_inline]] inline float square_root(float x) {
  return __builtin_sqrtf(x);
}

}  // namespace normproof::ref::numeric
