#pragma once

#include <cstddef>
#include <functional>

namespace normproof::verification::golden::certify {

/// Calls f(i) for every i < count on `jobs` threads. Each i is one task. Loops inside a layer use
/// numeric::parallel_for instead, so that tasks and loops can have different numbers of threads.
/// Throws    the exception of the smallest i that failed; after a failure no new task starts
void for_each_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& f);

}  // namespace normproof::verification::golden::certify
