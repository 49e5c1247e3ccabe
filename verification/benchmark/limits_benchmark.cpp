// Measures what the machine can do at most, and prints it as JSON: {"copy": [...], "fma": [...]}.
// "copy" has the bytes per second of a copy. "fma" has the operations per second of chains of fused
// multiply-adds. Each list has the value for one thread, then for two threads. Usage:
// limits_benchmark [BYTES [SECONDS]]. BYTES is the size of the copy (default 16 MiB), SECONDS the
// time of each measurement (default 0.3).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

namespace numeric = normproof::ref::numeric;
using Clock = std::chrono::steady_clock;

double elapsed_seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls `work` for about `seconds` seconds, and returns the time of the fastest call. The first
/// call does not count.
template <class Work>
double time_fastest_call(double seconds, const Work& work) {
  work();
  double best = 1e300;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, elapsed_seconds(start));
  } while (elapsed_seconds(begin) < seconds);
  return best;
}

/// Sets the number of threads while this object exists. The destructor sets the number to 1.
class ThreadCountScope {
 public:
  explicit ThreadCountScope(int count) { numeric::set_num_threads(count); }
  ~ThreadCountScope() { numeric::set_num_threads(1); }
  ThreadCountScope(const ThreadCountScope&) = delete;
  ThreadCountScope& operator=(const ThreadCountScope&) = delete;
};

// enough to hide the latency of two fma units, and few enough for the registers
constexpr int kChains = 16;
constexpr int kSteps = 1 << 16;

/// Runs kChains chains of kSteps fused multiply-adds. Returns the number of operations. The results
/// are stored in `kept`, so that the compiler cannot remove the computation.
double run_fma_chains(double* kept) {
  double x[kChains] = {};
  for (int s = 0; s < kSteps; ++s)
#pragma GCC unroll 16
    for (double& v : x) v = __builtin_fma(v, 0.5, 1.0);
  for (const double v : x) *kept += v;
  return 2.0 * kChains * kSteps;
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double chains_of_avx2(double* kept) {
  const __m256d half = _mm256_set1_pd(0.5), one = _mm256_set1_pd(1.0);
  __m256d x[kChains - 4];  // 16 registers in total; two hold constants
  for (__m256d& v : x) v = _mm256_setzero_pd();
  for (int s = 0; s < kSteps; ++s)
#pragma GCC unroll 16
    for (__m256d& v : x) v = _mm256_fmadd_pd(v, half, one);
  for (const __m256d& v : x) *kept += _mm256_cvtsd_f64(v);
  return 2.0 * 4 * (kChains - 4) * kSteps;
}

[[gnu::target("avx512f")]] double chains_of_avx512(double* kept) {
  const __m512d half = _mm512_set1_pd(0.5), one = _mm512_set1_pd(1.0);
  __m512d x[kChains];
  for (__m512d& v : x) v = _mm512_setzero_pd();
  for (int s = 0; s < kSteps; ++s)
#pragma GCC unroll 16
    for (__m512d& v : x) v = _mm512_fmadd_pd(v, half, one);
  for (const __m512d& v : x) *kept += _mm512_cvtsd_f64(v);
  return 2.0 * 8 * kChains * kSteps;
}
#endif

/// Runs run_fma_chains with the widest vectors of the processor.
double run_widest_fma_chains(double* kept) {
#if defined(__x86_64__)
  if (numeric::instruction_set() == numeric::InstructionSet::avx512) return chains_of_avx512(kept);
  if (numeric::instruction_set() == numeric::InstructionSet::avx2) return chains_of_avx2(kept);
#endif
  return run_fma_chains(kept);
}

/// Returns the rate of the fastest copy of an array, in bytes per second. The size of the array is
/// `bytes`. Each byte counts twice, because it is read and written.
double copy_rate(std::size_t bytes, int threads, double seconds) {
  const ThreadCountScope own(threads);
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  const std::size_t parts = static_cast<std::size_t>(threads);
  const double time = time_fastest_call(seconds, [&] {
    numeric::parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = bytes * begin / parts, last = bytes * end / parts;
      std::memcpy(to.data() + first, from.data() + first, last - first);
    });
  });
  return 2 * static_cast<double>(bytes) / time;
}

/// Returns the operations per second of the fastest run of run_widest_fma_chains. An fma counts as
/// two operations.
double fma_rate(int threads, double seconds) {
  const ThreadCountScope own(threads);
  const auto parts = static_cast<std::size_t>(threads);
  // distance at which two threads write to different cache lines
  constexpr std::size_t kElementsPerThread = 16;
  std::vector<double> kept(parts * kElementsPerThread), operations(parts * kElementsPerThread);
  const double time = time_fastest_call(seconds, [&] {
    numeric::parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        operations[i * kElementsPerThread] = run_widest_fma_chains(&kept[i * kElementsPerThread]);
    });
  });
  double sum = 0;
  for (std::size_t i = 0; i < parts; ++i) sum += operations[i * kElementsPerThread];
  return kept[0] > 0 ? sum / time : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{16} << 20;
  const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 0.3;
  if (bytes == 0 || !(seconds > 0)) {
    std::fputs("limits_benchmark: expected bytes and seconds above 0\n", stderr);
    return 2;
  }
  std::printf("{\"copy\": [%.0f, %.0f], \"fma\": [%.0f, %.0f]}\n", copy_rate(bytes, 1, seconds),
              copy_rate(bytes, 2, seconds), fma_rate(1, seconds), fma_rate(2, seconds));
}
