#include "verification/benchmark/device_rows.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "ref/numeric/random.hpp"

namespace normproof::verification::benchmark {
namespace {

// how many different numbers there are before they repeat
constexpr std::size_t kDistinctNumbers = 1'000'003;

/// Times the work of a benchmark row.
/// Throws    any exception of the work
void time_work(::benchmark::State& state, Device& device, const DeviceRow& row) {
  const DeviceWork work = row.prepare();
  work.submit(row.batch);  // a first call, which allocates the memory and creates the graph
  device.synchronize();
  while (state.KeepRunningBatch(row.batch)) {
    work.submit(row.batch);
    device.synchronize();
  }
  work.check();
}

}  // namespace

const DeviceTensor<double>& DeviceRows::numbers(const std::string& name, const Shape& shape) {
  DeviceTensor<double>& kept = numbers_[name];
  if (kept.is_given() && kept.shape() == shape) return kept;
  kept = {};
  auto values = ref::tensor::empty_tensor<double>(shape);
  const ref::numeric::RandomStream random(1, name);
  const std::size_t distinct = std::min(values.size(), kDistinctNumbers);
  for (std::size_t i = 0; i < values.size(); ++i)
    values.data()[i] = i < distinct ? random.normal(i) : values.data()[i - distinct];
  return kept = gpu::device::upload(device_, values);
}

void DeviceRows::add(DeviceRow row) {
  const std::size_t number = rows_.size();
  ::benchmark::RegisterBenchmark(
      row.name.c_str(),
      [this, number](::benchmark::State& state) {
        const DeviceRow& own = rows_[number];
        try {
          time_work(state, device_, own);
        } catch (const std::exception& error) {
          state.SkipWithError(error.what());
          failed_ = true;
          return;
        }
        const auto times = static_cast<double>(state.iterations());
        if (own.bytes > 0) state.SetBytesProcessed(static_cast<std::int64_t>(times * own.bytes));
        if (own.operations > 0)
          state.SetItemsProcessed(static_cast<std::int64_t>(times * own.operations));
      })
      ->Unit(::benchmark::kMillisecond)
      ->UseRealTime();
  rows_.push_back(std::move(row));
}

}  // namespace normproof::verification::benchmark
