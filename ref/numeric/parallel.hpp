#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Set and return the number of threads that parallel_for may use; the default is 1. The bits of
/// results do not depend on it: threads partition outputs, never a sum
/// (docs/specification/determinism.md, rule R7).
void set_num_threads(int threads);
int num_threads();

/// Runs body(begin, end) over disjoint ranges that cover [0, count), at most num_threads() of them
/// at a time. Each range has at least `grain` indices if count allows it. Any free thread,
/// including the caller's, starts the next range, so a delayed thread leaves its share to the
/// others. All ranges run on the caller's thread if the call is nested in a body, or if another
/// thread is in parallel_for.
/// Order     the order of the ranges is unspecified; what a range writes is visible only after the
///           call
/// Throws    after all bodies have ended, the exception of the first range that threw;
///           EnvironmentError if a thread violates rule R0
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace normproof::ref::numeric
