#pragma once

#include <functional>

#include "ref/ops/generic_elements.hpp"
// generic_elements.hpp must be included first, because the kernels look up the template Elements at
// the point where they are instantiated.
#include "ref/ops/activation_double.hpp"

namespace normproof::ref::ops {

/// Returns the kernels that are compiled for the selected instruction set,
/// numeric::instruction_set().
const ActivationKernels& activation_kernels();

/// Calls kernel(begin, end) for ranges that cover [0, count), on the allowed number of threads. A
/// kernel returns `end`, or the index of an element that it rejects. The function returns the
/// smallest rejected index, or `count` if there is none. The result does not depend on the number
/// of threads.
std::size_t find_rejected_index(std::size_t count, std::size_t grain,
                                const std::function<std::size_t(std::size_t, std::size_t)>& kernel);

/// Expands to a kernel for the scalar type T. If T is `double`, the kernel calls the kernel of the
/// selected instruction set; otherwise it calls the template.
#define NORMPROOF_ACTIVATION_KERNEL(T, of_double, kernel_for_any_type, arguments)          \
  [&](std::size_t begin, std::size_t end) {                                                \
    if constexpr (std::is_same_v<T, double>)                                               \
      return ::normproof::ref::ops::activation_kernels().of_double(arguments, begin, end); \
    else                                                                                   \
      return kernel_for_any_type(arguments, begin, end);                                   \
  }

}  // namespace normproof::ref::ops
