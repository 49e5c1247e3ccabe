#pragma once

#include <type_traits>

#include "ref/norm/double_kernels.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::ref::norm {

/// The kernels of numeric::instruction_set().
const DoubleKernels& double_kernels();

/// Computes  compute(work, range) over ranges that cover [0, count), shared out over the threads;
///           `each` is the number of elements that one index is. For `double` it is that of
///           double_kernels(), else the template in the layer's <layer>_formula.hpp
template <template <class> class Work, class T>
void run(const Work<T>& work, std::size_t count, std::size_t each) {
  constexpr std::size_t kElementsAThread = 32768;  // at least; the bits do not depend on it
  numeric::parallel_for(count, kElementsAThread / each + 1, [&](auto begin, auto end) {
    const ops::IndexRange range{begin, end};
    if constexpr (std::is_same_v<T, double>)
      double_kernels().Kernel<Work<double>>::compute(work, range);
    else
      compute(work, range);
  });
}

/// run over the rows of work.layout, over its channels, and over the lanes that have rows.
template <class Work>
void run_on_rows(const Work& work) {
  run(work, work.layout.count, work.layout.width);
}
template <class Work>
void run_on_channels(const Work& work) {
  run(work, work.layout.width, work.layout.count);
}
template <class Work>
void run_on_lanes(const Work& work) {
  const std::size_t lanes = work.totals.lanes;
  run(work, lanes, work.layout.count * work.layout.width / lanes);
}

}  // namespace normproof::ref::norm
