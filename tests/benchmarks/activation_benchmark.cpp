// Times softmax, log-sum-exp and the activations, forward and backward, in double at [2048,512].
// verification/benchmark/run --what activations compares them with other libraries in one run.
// docs/measurements/performance.md has measurements.
#include <benchmark/benchmark.h>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/softmax.hpp"

namespace {

using namespace normproof::ref;
using tensor::Tensor;

Tensor<double> random_tensor(const tensor::Shape& shape, const char* name) {
  const numeric::RandomStream random(1, name);
  Tensor<double> t = tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = random.normal(i);
  return t;
}

struct ActivationInputs {
  Tensor<double> x = random_tensor({2048, 512}, "x");
  Tensor<double> grad_y = random_tensor({2048, 512}, "grad_y");
  Tensor<double> grad_rows = random_tensor({2048}, "grad_rows");
};

// Runs forward and backward as often as the state requests, on state.range(0) threads.
template <class Step>
void time_forward_and_backward(benchmark::State& state, Step step) {
  static const ActivationInputs data;
  numeric::set_num_threads(static_cast<int>(state.range(0)));
  // Runs a few steps first, so that the memory of the outputs is mapped (ref/tensor/allocator.hpp).
  for (int i = 0; i < 3; ++i) step(data);
  for (auto _ : state) step(data);
  numeric::set_num_threads(1);
}

void keep(const Tensor<double>& y, const Tensor<double>& grad_x) {
  benchmark::DoNotOptimize(y.data());
  benchmark::DoNotOptimize(grad_x.data());
}

void softmax(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::softmax(d.x);
    keep(y, ops::softmax_backward(d.grad_y, y));
  });
}

void log_softmax(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::log_softmax(d.x);
    keep(y, ops::log_softmax_backward(d.grad_y, y));
  });
}

void log_sum_exp(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::log_sum_exp(d.x);
    keep(y, ops::log_sum_exp_backward(d.grad_rows, d.x));
  });
}

void relu(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::relu(d.x);
    keep(y, ops::relu_backward(d.grad_y, d.x));
  });
}

void gelu(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::gelu(d.x);
    keep(y, ops::gelu_backward(d.grad_y, d.x));
  });
}

void gelu_tanh(benchmark::State& state) {
  time_forward_and_backward(state, [](const ActivationInputs& d) {
    const auto y = ops::gelu_tanh(d.x);
    keep(y, ops::gelu_tanh_backward(d.grad_y, d.x));
  });
}

BENCHMARK(softmax)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(log_softmax)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(log_sum_exp)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(relu)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(gelu)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(gelu_tanh)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
