#pragma once

#include <cstddef>
#include <functional>

namespace normproof::verification::golden::certify {

/// f(i) for every i < count, on `jobs` threads; each i is a task of its own, and none is cut.
/// numeric::parallel_for is for the loops inside a layer: they would share its number of threads.
/// Throws    the exception of the smallest i that failed; after a failure no new one begins
void for_each(std::size_t count, int jobs, const std::function<void(std::size_t)>& f);

}  // namespace normproof::verification::golden::certify
