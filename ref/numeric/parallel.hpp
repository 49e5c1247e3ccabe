#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Number of threads that parallel_for may use. The bits of no result depend on it: threads
/// partition outputs, never a sum (docs/specification/determinism.md, R7). Default: 1.
void set_num_threads(int threads);
int num_threads();

/// Computes  body(begin, end) over disjoint ranges that cover [0, count), each at least `grain`
///           long where count allows it; at most num_threads() of them at a time. A range is begun
///           by whichever thread is free, the caller's among them, so that a thread which the
///           system holds up leaves the others to it. Within a body, and while another thread of
///           the program is in parallel_for, all ranges are the caller's.
/// Order     none between ranges: what is written in one is seen behind the call alone
/// Throws    what the first range threw of those that threw, after every body has ended;
///           EnvironmentError where a thread breaks rule R0
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace normproof::ref::numeric
