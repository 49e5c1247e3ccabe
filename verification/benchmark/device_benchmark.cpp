// Measures times of the GPU code: a copy, the norms, matrix products and a training step.
// `verification/benchmark/run --what device` compares them with PyTorch on the same GPU.
// docs/measurements/performance.md explains what is measured.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/benchmark/device_rows.hpp"

namespace normproof::verification::benchmark {
namespace {

/// Runs the benchmarks that the command line selects, and returns the exit status.
/// Throws    UsageError, NoDeviceError, DeviceError
int run_rows(int argc, char** argv) {
  std::string name = "simulated";
  bool tiny = false;
  CLI::App app("Time the GPU path: a copy, the norms, matrix products, a step of training");
  app.add_option(
         "--device", name,
         "simulated (default): kernels on the processor, whose times\nsay nothing of a GPU; "
         "cuda: on the first GPU")
      ->type_name("simulated|cuda");
  app.add_flag("--tiny", tiny, "Tiny sizes, as the simulated device always has them");
  app.footer(
      "Options --benchmark_... are Google Benchmark's: --benchmark_filter, --benchmark_format.\n"
      "Exit status: 0, 1 where a row ends with an error, 2 for a wrong command line, 77 without a "
      "GPU\nwhere one is asked for.");
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw ref::numeric::UsageError(error.what());
  }
  const auto backend = gpu::device::parse_backend(name);
  std::vector<std::string> others = app.remaining();
  others.insert(others.begin(), argv[0]);
  std::vector<char*> arguments;
  arguments.reserve(others.size());
  for (std::string& argument : others) arguments.push_back(argument.data());
  int count = static_cast<int>(arguments.size());
  ::benchmark::Initialize(&count, arguments.data());
  if (::benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  const auto device = gpu::device::open_device(backend);
  DeviceRows rows(*device, tiny || backend == gpu::device::Backend::simulated);
  add_copy_benchmarks(rows);
  add_norm_benchmarks(rows);
  add_float32_norm_benchmarks(rows);
  add_products(rows);
  add_training_step_benchmarks(rows);
  ::benchmark::RunSpecifiedBenchmarks();
  return rows.failed() ? 1 : 0;
}

int print_error(int status, const char* sentence) {
  fmt::print(stderr, "device_benchmark: {}\n", sentence);
  return status;
}

}  // namespace
}  // namespace normproof::verification::benchmark

int main(int argc, char** argv) {
  using namespace normproof;
  using verification::benchmark::print_error;
  try {
    return verification::benchmark::run_rows(argc, argv);
  } catch (const ref::numeric::UsageError& error) {
    return print_error(2, error.what());
  } catch (const gpu::device::NoDeviceError& error) {
    return print_error(77, error.what());
  } catch (const std::exception& error) {
    return print_error(1, error.what());
  }
}
