#pragma once

#include <functional>

#include "ref/ops/generic_elements.hpp"
// generic_elements.hpp must come first, because the kernels look up Elements where they are
// instantiated.
#include "ref/ops/activation_double.hpp"

namespace normproof::ref::ops {

/// Returns the kernels compiled for numeric::instruction_set().
const ActivationKernels& activation_kernels();

/// Runs kernel(begin, end) over [0, count) on the allowed threads. Returns the smallest number that
/// a kernel returned instead of its `end`, or `count` if there is none. The number of threads does
/// not affect it.
std::size_t find_rejected(std::size_t count, std::size_t grain,
                          const std::function<std::size_t(std::size_t, std::size_t)>& kernel);

/// Calls the kernel of the selected instruction set for `double`, otherwise the template.
#define NORMPROOF_ACTIVATION_KERNEL(T, of_double, of_any, arguments)                       \
  [&](std::size_t begin, std::size_t end) {                                                \
    if constexpr (std::is_same_v<T, double>)                                               \
      return ::normproof::ref::ops::activation_kernels().of_double(arguments, begin, end); \
    else                                                                                   \
      return of_any(arguments, begin, end);                                                \
  }

}  // namespace normproof::ref::ops
