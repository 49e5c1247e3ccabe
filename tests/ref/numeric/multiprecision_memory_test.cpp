#include "ref/numeric/multiprecision_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <new>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/real.hpp"

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace normproof::ref::numeric {
namespace {

/// Limits the address space of this process to `more` bytes more than it has.
void limit_memory(std::size_t more) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

/// Runs `f` in a child process with little memory. Returns whether the child ended by itself and f
/// returned true.
template <class F>
bool is_true_with_little_memory(F f) {
  const pid_t child = fork();
  if (child == 0) {
    use_multiprecision_reserve();
    limit_memory(std::size_t{32} << 20);
    _exit(f() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Makes numbers until memory is exhausted. Returns whether that is an exception.
template <class Make>
bool throws_when_memory_is_exhausted(Make make) {
  constexpr std::size_t kMaxCount = 100000;
  std::vector<decltype(make())> numbers;
  numbers.reserve(kMaxCount);
  try {
    while (numbers.size() < kMaxCount) numbers.push_back(make());
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

TEST(MultiprecisionMemory, ThatIsExhaustedInABallIsAnException) {
  EXPECT_TRUE(is_true_with_little_memory([] {
    const BallPrecision precision(100000);
    return throws_when_memory_is_exhausted([] { return sqrt(ball(2.0)); });
  }));
}

TEST(MultiprecisionMemory, ThatIsExhaustedInAnIntervalIsAnExceptionOfTheNextCheck) {
  EXPECT_TRUE(is_true_with_little_memory([] {
    return throws_when_memory_is_exhausted([] {
      check_multiprecision_memory();
      return std::vector<interval>(1000, interval(0.1));
    });
  }));
}

TEST(MultiprecisionMemory, IsAvailableAgainWhenNumbersAreDestroyed) {
  EXPECT_TRUE(is_true_with_little_memory([] {
    for (int round = 0; round < 3; ++round) {
      use_multiprecision_reserve();
      const BallPrecision precision(100000);
      if (!throws_when_memory_is_exhausted([] { return sqrt(ball(2.0)); })) return false;
    }
    use_multiprecision_reserve();
    return (ball(2.0) * ball(3.0)).contains(6);
  }));
}

TEST(MultiprecisionMemory, IsRequiredInAdvance) {
  EXPECT_TRUE(is_true_with_little_memory([] {
    require_multiprecision_memory(std::size_t{1} << 20);
    try {
      require_multiprecision_memory(std::size_t{1} << 30);
    } catch (const std::bad_alloc&) {
      return true;
    }
    return false;
  }));
}

}  // namespace
}  // namespace normproof::ref::numeric

#endif
