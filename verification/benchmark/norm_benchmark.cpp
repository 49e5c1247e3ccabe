// Measures the time of each norm layer, forward and backward, in double at shape [2048,512].
// verification/benchmark/run compares the times with other libraries in one run.
// docs/measurements/performance.md has measurements.
#include <benchmark/benchmark.h>

#include "ref/norm/batch_norm.hpp"
#include "ref/norm/layer_norm.hpp"
#include "ref/norm/power_norm.hpp"
#include "ref/norm/power_norm_v.hpp"
#include "ref/norm/rms_norm.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"

namespace {

using namespace normproof::ref;
using norm::Tensor;

constexpr std::size_t kRows = 2048;
constexpr std::size_t kWidth = 512;

Tensor<double> random_tensor(const tensor::Shape& shape, const char* name) {
  const numeric::RandomStream random(1, name);
  Tensor<double> t = tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = random.normal(i);
  return t;
}

struct LayerInputs {
  Tensor<double> x = random_tensor({kRows, kWidth}, "x");
  Tensor<double> grad_y = random_tensor({kRows, kWidth}, "grad_y");
  norm::Affine<double> affine{random_tensor({kWidth}, "gamma"), random_tensor({kWidth}, "beta")};
  Tensor<double> zeros = tensor::full_tensor<double>({kWidth}, 0.0);
  Tensor<double> ones = tensor::full_tensor<double>({kWidth}, 1.0);
};

const LayerInputs& data() {
  static const LayerInputs d;
  return d;
}

// Runs forward and backward of a layer on state.range(0) threads, as often as the benchmark
// requests.
template <class Step>
void time_step(benchmark::State& state, Step step) {
  numeric::set_num_threads(static_cast<int>(state.range(0)));
  const LayerInputs& d = data();
  for (auto _ : state) step(d);
  numeric::set_num_threads(1);
}

void keep(const Tensor<double>& y, const norm::AffineGradients<double>& gradients) {
  benchmark::DoNotOptimize(y.data());
  benchmark::DoNotOptimize(gradients.grad_x.data());
}

void layer_norm(benchmark::State& state) {
  time_step(state, [](const LayerInputs& d) {
    const auto forward = norm::layer_norm(d.x, d.affine);
    keep(forward.y, norm::layer_norm_backward(d.grad_y, d.x, d.affine, forward.saved));
  });
}

void rms_norm(benchmark::State& state) {
  time_step(state, [](const LayerInputs& d) {
    const auto forward = norm::rms_norm(d.x, d.affine);
    keep(forward.y, norm::rms_norm_backward(d.grad_y, d.x, d.affine, forward.saved));
  });
}

void batch_norm(benchmark::State& state) {
  time_step(state, [](const LayerInputs& d) {
    const auto forward = norm::batch_norm(d.x, d.affine, {}, {d.zeros, d.ones});
    keep(forward.y, norm::batch_norm_backward(d.grad_y, d.x, d.affine, {}, forward.saved));
  });
}

void power_norm_v(benchmark::State& state) {
  time_step(state, [](const LayerInputs& d) {
    const auto forward = norm::power_norm_v(d.x, d.affine, {}, {d.ones});
    keep(forward.y, norm::power_norm_v_backward(d.grad_y, d.x, d.affine, {}, forward.saved));
  });
}

void power_norm(benchmark::State& state) {
  time_step(state, [](const LayerInputs& d) {
    const auto forward = norm::power_norm(d.x, d.affine, {}, {d.ones, d.zeros, 0});
    const auto backward =
        norm::power_norm_backward(d.grad_y, d.x, d.affine, {}, forward.saved, forward.state.nu);
    keep(forward.y, backward.gradients);
  });
}

BENCHMARK(layer_norm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(batch_norm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(power_norm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(power_norm_v)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(rms_norm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
