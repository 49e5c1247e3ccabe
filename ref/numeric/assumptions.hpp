#pragma once

#include <bit>
#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <limits>

/// Checks at compile time that the platform satisfies rule R0 of the arithmetic contract
/// (docs/specification/determinism.md). fp_environment.hpp checks the rest of the rule at run time.

static_assert(CHAR_BIT == 8, "bytes have eight bits");
static_assert(std::endian::native == std::endian::little, "files are written little-endian");
static_assert(sizeof(std::size_t) == 8, "extents and element indices have 64 bits");
static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559 &&
                  std::numeric_limits<double>::digits == 53,
              "double is IEEE binary64");
static_assert(sizeof(float) == 4 && std::numeric_limits<float>::is_iec559,
              "float is IEEE binary32");
static_assert(FLT_EVAL_METHOD == 0, "no excess precision: every operation rounds to its own type");
#if defined(__FAST_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "normproof must not be compiled with -ffast-math or -ffinite-math-only"
#endif
