#include "ref/numeric/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "ref/numeric/fp_environment.hpp"

namespace normproof::ref::numeric {
namespace {

std::atomic<int> thread_count{1};

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
  const auto most = count / std::max<std::size_t>(grain, 1);
  const auto parts = std::min<std::size_t>(static_cast<std::size_t>(num_threads()), most);
  if (parts <= 1) {
    if (count > 0) body(0, count);
    return;
  }
#ifdef _OPENMP
  std::exception_ptr failure;
  std::size_t failed = parts;  // the first range that did
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    try {
      check_fp_mode();
      body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
#pragma omp critical(normproof_parallel_for)
      if (part < failed) {
        failed = part;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
#else
  for (std::size_t part = 0; part < parts; ++part)
    body(count * part / parts, count * (part + 1) / parts);
#endif
}

}  // namespace normproof::ref::numeric
