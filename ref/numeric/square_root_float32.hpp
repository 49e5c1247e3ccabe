#pragma once

namespace normproof::ref::numeric {

/// IEEE square root of a float32, correctly rounded: beside square_root.hpp, so that a formula
/// whose scalar is float takes no root in double.
[[gnu::always_inline]] inline float square_root(float x) {
  return __builtin_sqrtf(x);
}

}  // namespace normproof::ref::numeric
