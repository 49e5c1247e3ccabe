#pragma once

#include "ref/numeric/real.hpp"

namespace normproof::ref::numeric {

/// Returns pi as the scalar type T.
/// Error     oracle50 and oracle100: correctly rounded by MPFR; interval and ball: an enclosure of
///           pi
template <class T>
T pi();
#ifndef NORMPROOF_DOUBLE_ONLY
template <>
oracle50 pi();
template <>
oracle100 pi();
template <>
interval pi();
template <>
ball pi();
template <>
dual pi();
template <>
complex100 pi();
#endif

}  // namespace normproof::ref::numeric
