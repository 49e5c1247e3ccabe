#pragma once

#include <functional>

#include "ref/ops/generic_elements.hpp"
// The kernels look Elements up where they are instantiated, so generic_elements.hpp comes first.
#include "ref/ops/activation_double.hpp"

namespace normproof::ref::ops {

/// The kernels of numeric::instruction_set().
const ActivationKernels& activation_kernels();

/// Runs kernel(begin, end) over [0, count) on the threads allowed.
/// Computes  the smallest number that a kernel returned instead of its `end`, or `count`: which
///           threads there are does not change it
std::size_t first_refused(std::size_t count, std::size_t grain,
                          const std::function<std::size_t(std::size_t, std::size_t)>& kernel);

/// kernel<T> of the instruction set in use for `double`, else the template.
#define NORMPROOF_ACTIVATION_KERNEL(T, of_double, of_any, arguments)                       \
  [&](std::size_t begin, std::size_t end) {                                                \
    if constexpr (std::is_same_v<T, double>)                                               \
      return ::normproof::ref::ops::activation_kernels().of_double(arguments, begin, end); \
    else                                                                                   \
      return of_any(arguments, begin, end);                                                \
  }

}  // namespace normproof::ref::ops
