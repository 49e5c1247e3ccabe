// check_rounding [COUNT [SEED]]: compares exp, log, tanh, erf and sqrt with MPFR, for COUNT random
// arguments each (default 10^7). The exit status is 1 if a result is not correctly rounded.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "verification/checks/elementary/functions.hpp"

int main(int argc, char** argv) {
  using namespace normproof::verification::checks::elementary;
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (count == 0) {
    std::fprintf(stderr, "check_rounding: expected a count of at least 1\n");
    return 2;
  }
  std::uint64_t wrong_in_all = 0;
  std::printf("function  arguments  misrounded  subnormal results  infinite  largest fast error\n");
  for (const Function& f : functions()) {
    std::uint64_t wrong = 0, subnormal = 0, infinite = 0;
    double error = 0;
    constexpr std::uint64_t batch = 4096;
    std::vector<double> x(batch), y(batch);
    for (std::uint64_t first = 0; first < count; first += batch) {
      const std::uint64_t size = count - first < batch ? count - first : batch;
      for (std::uint64_t i = 0; i < size; ++i) x[i] = argument(f, seed, first + i);
      f.apply_each(x.data(), size, y.data());
      for (std::uint64_t i = 0; i < size; ++i) {
        const double expected = nearest(f, x[i]);
        subnormal += y[i] != 0 && std::fabs(y[i]) < 0x1p-1022;
        infinite += std::isinf(y[i]);
        if (i % 16 == 1 && is_in_fast_domain(f, x[i]))
          error = std::fmax(error, fast_error(f, x[i]));
        if (is_same_value(y[i], expected) && is_same_value(f.of(x[i]), expected)) continue;
        if (wrong++ < 10)
          std::printf("%s(%a) = %a, expected %a\n", f.name.c_str(), x[i], y[i], expected);
      }
    }
    std::printf("%-8s %10llu %11llu %18llu %9llu  ", f.name.c_str(),
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(wrong),
                static_cast<unsigned long long>(subnormal),
                static_cast<unsigned long long>(infinite));
    if (f.kernel == nullptr) {
      std::printf("none: the processor's own\n");
    } else {
      std::printf("2^%.2f of the bound 2^%.0f\n", std::log2(error), std::log2(f.fast_error));
    }
    std::fflush(stdout);
    wrong_in_all += wrong;
  }
  return wrong_in_all == 0 ? 0 : 1;
}
