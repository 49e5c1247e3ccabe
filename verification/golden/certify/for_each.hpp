#pragma once

#include <cstddef>
#include <functional>

namespace normproof::verification::golden::certify {

/// Calls f(i) for every i < count on `jobs` threads; each i is one task. numeric::parallel_for
/// serves the loops inside a layer; using it here would make both share one number of threads.
/// Throws    the exception of the smallest i that failed; after a failure no new task starts
void for_each(std::size_t count, int jobs, const std::function<void(std::size_t)>& f);

}  // namespace normproof::verification::golden::certify
