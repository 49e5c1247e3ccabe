#include "verification/golden/certify/for_each_in_parallel.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace normproof::verification::golden::certify {

void for_each_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        f(i);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (int job = 1; job < jobs; ++job) threads.emplace_back(work);
  } catch (const std::system_error&) {  // the system has no more threads; those that exist work
  }
  work();
  threads.clear();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace normproof::verification::golden::certify
