#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Number of threads that parallel_for may use. The bits of no result depend on it: threads
/// partition outputs, never a sum (docs/determinism.md, R7). Default: 1.
void set_num_threads(int threads);
int num_threads();

/// Computes  body(begin, end) over consecutive, disjoint ranges that cover [0, count), each at
///           least `grain` long where count allows it; at most num_threads() of them at a time.
/// Throws    what the first range threw of those that threw, after every body has ended;
///           EnvironmentError where a thread breaks rule R0
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace normproof::ref::numeric
