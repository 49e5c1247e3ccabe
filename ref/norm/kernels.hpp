#pragma once

#include <algorithm>
#include <type_traits>

#include "ref/norm/double_kernels.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::ref::norm {

/// Returns the kernels that are compiled for the selected instruction set,
/// numeric::instruction_set().
const DoubleKernels& double_kernels();

/// Calls compute(work, range) for ranges that cover [0, count), distributed over the threads.
/// `each` is the number of elements per index. `least` is the minimum number of indices in a range,
/// unless count is smaller. For `double` it calls the kernel in double_kernels(), otherwise the
/// template in the layer's <layer>_formula.hpp.
template <template <class> class Work, class T>
void run(const Work<T>& work, std::size_t count, std::size_t each, std::size_t least = 1) {
  constexpr std::size_t kMinElementsPerThread = 32768;  // does not affect the bits
  const std::size_t grain = std::max(kMinElementsPerThread / each + 1, least);
  numeric::parallel_for(count, grain, [&](auto begin, auto end) {
    const ops::IndexRange range{begin, end};
    if constexpr (std::is_same_v<T, double>)
      double_kernels().Kernel<Work<double>>::compute(work, range);
    else
      compute(work, range);
  });
}

/// These functions run `work` in parallel on ranges of its rows, of its channels, or of its lanes
/// (partial sums over rows). There is at most one range of channels per thread: a sum over rows
/// reads a contiguous piece of each row, and a wide range makes this piece long. Lanes without rows
/// are skipped.
template <class Work>
void run_on_rows(const Work& work) {
  run(work, work.layout.count, work.layout.width);
}
template <class Work>
void run_on_channels(const Work& work) {
  const std::size_t width = work.layout.width;
  run(work, width, work.layout.count, width / static_cast<std::size_t>(numeric::num_threads()));
}
template <class Work>
void run_on_lanes(const Work& work) {
  const std::size_t lanes = work.totals.lanes;
  run(work, lanes, work.layout.count * work.layout.width / lanes);
}

}  // namespace normproof::ref::norm
