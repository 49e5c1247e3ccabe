// Times matmul and OpenBLAS's cblas_dgemm in turn, in one process with the same number of threads.
// Prints a table with ratios, which docs/measurements/performance.md quotes. Usage:
// matmul_benchmark
// [--benchmark_filter=REGEX] [--benchmark_repetitions=N]
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/ops/matmul.hpp"

namespace {

using namespace normproof::ref;

struct Shape {
  const char* name;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
  ops::Transpose transpose;
  std::size_t batch;
};

// c [rows, columns] = a b over `depth`. The shapes are those of the encoder: B T = 2048 rows,
// d_model 64, 4 heads of 16.
constexpr Shape kShapes[] = {
    {"512x512x512", 512, 512, 512, ops::Transpose::none, 1},
    {"1024x1024x1024", 1024, 1024, 1024, ops::Transpose::none, 1},
    {"2048x512x2048", 2048, 512, 2048, ops::Transpose::none, 1},
    {"2048x64x64", 2048, 64, 64, ops::Transpose::none, 1},
    {"2048x64x256", 2048, 64, 256, ops::Transpose::none, 1},
    {"2048x256x64", 2048, 256, 64, ops::Transpose::none, 1},
    {"2048x64x64 B^T", 2048, 64, 64, ops::Transpose::b, 1},
    {"2048x64x256 B^T", 2048, 64, 256, ops::Transpose::b, 1},
    {"2048x256x64 B^T", 2048, 256, 64, ops::Transpose::b, 1},
    {"128 x 64x64x16 B^T", 64, 64, 16, ops::Transpose::b, 128},
    {"128 x 64x16x64", 64, 16, 64, ops::Transpose::none, 128},
    {"128 x 64x16x64 A^T", 64, 16, 64, ops::Transpose::a, 128},
    {"64x64x2048 A^T", 64, 64, 2048, ops::Transpose::a, 1},
    {"64x256x2048 A^T", 64, 256, 2048, ops::Transpose::a, 1},
    {"256x64x2048 A^T", 256, 64, 2048, ops::Transpose::a, 1},
    {"512x2048x2048 A^T", 512, 2048, 2048, ops::Transpose::a, 1},
};

struct Row {
  std::string name;
  int threads;
  double ours;
  double peer;
  double ratio;       ///< median of the ratios of the rounds
  double of_fastest;  ///< ratio of the fastest rounds
};
std::vector<Row>& result_rows() {
  static std::vector<Row> rows;
  return rows;
}

std::vector<double> random_values(std::size_t size, const char* name) {
  const numeric::RandomStream random(1, name);
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = random.uniform(i) - 0.5;
  return values;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

ops::MatrixView<const double> operand(const double* data, std::size_t batch, std::size_t rows,
                                      std::size_t columns, bool transpose) {
  if (transpose) std::swap(rows, columns);
  ops::MatrixView<const double> m = ops::matrix(data, rows, columns);
  m.batch_size = batch;
  m.batch_stride = rows * columns;
  return transpose ? ops::transposed(m) : m;
}

// OpenBLAS has no batched product. One matrix uses OpenBLAS's own threads; a batch uses one thread
// for each matrix.
void multiply_with_openblas(const Shape& s, const double* a, const double* b, double* c,
                            int threads) {
  openblas_set_num_threads(s.batch == 1 ? threads : 1);
  const auto m = static_cast<int>(s.rows);
  const auto n = static_cast<int>(s.columns);
  const auto k = static_cast<int>(s.depth);
  const bool a_transposed = s.transpose == ops::Transpose::a;
  const bool b_transposed = s.transpose == ops::Transpose::b;
  numeric::parallel_for(s.batch, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      cblas_dgemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans,
                  b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0, a + i * s.rows * s.depth,
                  a_transposed ? m : k, b + i * s.depth * s.columns, b_transposed ? k : n, 0.0,
                  c + i * s.rows * s.columns, n);
  });
}

// With one thread the time is that of the thread's own clock, which stops while other threads use
// the core.
double read_clock_seconds(int threads) {
  timespec t;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Returns the seconds of one call, after a call that wakes the threads.
template <class Call>
double measure_seconds_per_call(std::size_t calls, int threads, const Call& call) {
  call();
  const double start = read_clock_seconds(threads);
  for (std::size_t i = 0; i < calls; ++i) call();
  return (read_clock_seconds(threads) - start) / static_cast<double>(calls);
}

void compare_with_openblas(benchmark::State& state, const Shape& s, int threads) {
  const std::vector<double> a = random_values(s.batch * s.rows * s.depth, "a");
  const std::vector<double> b = random_values(s.batch * s.depth * s.columns, "b");
  std::vector<double> c(s.batch * s.rows * s.columns);
  const auto left = operand(a.data(), s.batch, s.rows, s.depth, s.transpose == ops::Transpose::a);
  const auto right =
      operand(b.data(), s.batch, s.depth, s.columns, s.transpose == ops::Transpose::b);
  ops::MatrixView<double> result = ops::matrix(c.data(), s.rows, s.columns);
  result.batch_size = s.batch;
  result.batch_stride = s.rows * s.columns;
  numeric::set_num_threads(threads);
  const double products = static_cast<double>(c.size() * s.depth);
  const auto calls = static_cast<std::size_t>(2e-3 / (2 * products / 40e9)) + 1;
  std::vector<double> ours;
  std::vector<double> peer;
  std::vector<double> ratios;
  for (auto _ : state) {
    // Idle threads of both libraries spin for a while. They must sleep before the other library is
    // timed.
    const auto pause = std::chrono::milliseconds(threads > 1 ? 30 : 0);
    std::this_thread::sleep_for(pause);
    ours.push_back(
        measure_seconds_per_call(calls, threads, [&] { ops::matmul_into(result, left, right); }));
    std::this_thread::sleep_for(pause);
    peer.push_back(measure_seconds_per_call(
        calls, threads, [&] { multiply_with_openblas(s, a.data(), b.data(), c.data(), threads); }));
    ratios.push_back(peer.back() / ours.back());
    state.SetIterationTime(ours.back());
  }
  const double giga = 2e-9 * products;
  const double fastest = *std::min_element(ours.begin(), ours.end());
  const double fastest_peer = *std::min_element(peer.begin(), peer.end());
  result_rows().push_back({s.name, threads, giga / fastest, giga / fastest_peer, median(ratios),
                           fastest_peer / fastest});
  state.counters["ours GF/s"] = result_rows().back().ours;
  state.counters["OpenBLAS GF/s"] = result_rows().back().peer;
  state.counters["ratio"] = result_rows().back().ratio;
  numeric::set_num_threads(1);
}

}  // namespace

int main(int argc, char** argv) {
  // OpenBLAS reads this variable before main. With it, idle threads sleep after 2^20 ticks.
  // Otherwise they would spin for a tenth of a second on the core that the other library is timed
  // on.
  if (std::getenv("OPENBLAS_THREAD_TIMEOUT") == nullptr) {
    setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
    execv("/proc/self/exe", argv);
    std::perror("matmul_benchmark: cannot start itself again");
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const char* wanted = std::getenv("ROUNDS");
  const int rounds = wanted == nullptr ? 25 : std::max(std::atoi(wanted), 1);
  for (const int threads : {1, 2})
    for (const Shape& shape : kShapes)
      benchmark::RegisterBenchmark(
          (std::string(shape.name) + ", " + std::to_string(threads) + " threads").c_str(),
          [&shape, threads](benchmark::State& state) {
            compare_with_openblas(state, shape, threads);
          })
          ->UseManualTime()
          ->Iterations(rounds)
          ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  std::printf(
      "\nOpenBLAS: %s\ninstruction set: %s\n\n", openblas_get_config(),
      numeric::instruction_sets()[static_cast<std::size_t>(numeric::instruction_set())].c_str());
  std::printf(
      "| rows x columns x depth | threads | normproof GF/s | OpenBLAS GF/s | ratio | median ratio "
      "|\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const Row& row : result_rows())
    std::printf("| %s | %d | %.1f | %.1f | %.2f | %.2f |\n", row.name.c_str(), row.threads,
                row.ours, row.peer, row.of_fastest, row.ratio);
}
