#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Set and return the number of threads that parallel_for may use. The default is 1. The bits of
/// results do not depend on it, because each thread computes whole outputs and no sum is split
/// between threads (docs/specification/determinism.md, rule R7).
void set_num_threads(int threads);
int num_threads();

/// Calls body(begin, end) for disjoint ranges that together cover [0, count). At most num_threads()
/// ranges run at a time. Each range has at least `grain` indices, unless count is below `grain`.
/// Whenever a thread is free, it starts the next range; so if one thread is delayed, the others run
/// its share. The caller's thread runs ranges too. It runs all ranges alone if the call is nested
/// in a body, or if another thread is in parallel_for.
/// Order     the order of the ranges is unspecified. The data that a range writes is visible to the
///           other threads only after the call
/// Throws    the exception of the first range that threw, after all bodies have ended;
///           EnvironmentError if a thread violates rule R0
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace normproof::ref::numeric
