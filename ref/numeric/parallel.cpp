#include "ref/numeric/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/workers.hpp"

namespace normproof::ref::numeric {
namespace {

/// The number of ranges per thread. If there are more ranges, threads wait less for a delayed
/// thread, but the kernel is called more often.
constexpr std::size_t kRangesPerThread = 2;

std::atomic<int> thread_count{1};

/// Stores the exception of the first range that threw one.
class FirstException {
 public:
  void store_current_exception(std::size_t range) {
    const std::lock_guard lock(mutex_);
    if (failure_ && range_ < range) return;
    range_ = range;
    failure_ = std::current_exception();
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::size_t range_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void set_num_threads(int threads) {
  thread_count = std::max(threads, 1);
}

int num_threads() {
  return thread_count;
}

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  check_fp_mode();
  const auto threads = static_cast<std::size_t>(num_threads());
  const std::size_t most = count / std::max<std::size_t>(grain, 1);
  const std::size_t ranges = std::min(kRangesPerThread * threads, most);
  if (threads == 1 || ranges <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  FirstException failure;
  run_tasks(ranges, threads, [&](std::size_t range) {
    try {
      check_fp_mode();
      body(count / ranges * range + count % ranges * range / ranges,
           count / ranges * (range + 1) + count % ranges * (range + 1) / ranges);
    } catch (...) {
      failure.store_current_exception(range);
    }
  });
  failure.rethrow();
}

}  // namespace normproof::ref::numeric
