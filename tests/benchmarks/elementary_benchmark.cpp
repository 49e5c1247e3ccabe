// Times exp, log, tanh and erf of arrays and of single numbers, on each instruction set, next to
// glibc in the same process. docs/measurements/performance.md has measurements.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/random.hpp"

namespace {

namespace numeric = normproof::ref::numeric;

constexpr std::size_t kArgumentCount = 4096;

// Returns arguments that are typical of a Transformer: uniform around 0, for log also around 1.
std::vector<double> draw_typical_arguments(const std::string& function) {
  const numeric::RandomStream stream(1, function);
  std::vector<double> x(kArgumentCount);
  for (std::size_t i = 0; i < kArgumentCount; ++i) {
    const double u = 2 * stream.uniform(i) - 1;
    x[i] = function == "exp" ? 20 * u : function == "log" ? numeric::exp(20 * u) : 4 * u;
  }
  return x;
}

struct Function {
  const char* name;
  void (*apply_each)(const double*, std::size_t, double*);
  double (*of)(double);
  double (*accurate)(double);
  double (*libm)(double);
};
const Function kFunctions[] = {
    {"exp", numeric::exp, numeric::exp, numeric::exp_accurate, std::exp},
    {"log", numeric::log, numeric::log, numeric::log_accurate, std::log},
    {"tanh", numeric::tanh, numeric::tanh, numeric::tanh_accurate, std::tanh},
    {"erf", numeric::erf, numeric::erf, numeric::erf_accurate, std::erf}};

template <class Apply>
void add(const std::string& name, const char* function, Apply apply) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const std::vector<double> x = draw_typical_arguments(function);
    std::vector<double> y(kArgumentCount);
    for (auto _ : state) {
      apply(x, y);
      benchmark::DoNotOptimize(y.data());
      benchmark::ClobberMemory();
    }
    state.counters["ns/element"] = benchmark::Counter(
        static_cast<double>(kArgumentCount) * 1e-9,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  });
}

template <class Of>
auto call_for_each_element(Of of) {
  return [of](const std::vector<double>& x, std::vector<double>& y) {
    for (std::size_t i = 0; i < kArgumentCount; ++i) y[i] = of(x[i]);
  };
}

}  // namespace

int main(int argc, char** argv) {
  for (const Function& f : kFunctions) {
    const std::string name = f.name;
    add(name + "/glibc", f.name, call_for_each_element(f.libm));
    for (const std::string& set : numeric::instruction_sets()) {
      add(name + "/array/" + set, f.name,
          [=](const std::vector<double>& x, std::vector<double>& y) {
            numeric::select_instruction_set(set);
            f.apply_each(x.data(), kArgumentCount, y.data());
          });
    }
    const std::string widest = numeric::instruction_sets().back();
    add(name + "/scalar", f.name, [=](const std::vector<double>& x, std::vector<double>& y) {
      numeric::select_instruction_set(widest);
      call_for_each_element(f.of)(x, y);
    });
    add(name + "/accurate phase alone", f.name, call_for_each_element(f.accurate));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
