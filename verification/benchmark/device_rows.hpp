#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device/recording.hpp"
#include "gpu/device/tensor.hpp"

namespace normproof::verification::benchmark {

using gpu::device::Device;
using gpu::device::DeviceTensor;
using gpu::device::Shape;

/// The work that a benchmark row times.
struct DeviceWork {
  /// Submits the work to the queue of the device. The argument `times` is the number of
  /// submissions.
  std::function<void(std::int64_t times)> submit;
  /// Called after the last submission. Throws an exception if the device rejected a submission.
  std::function<void()> check = [] {};
};

/// Returns the work of a layer. Each batch of calls is a single recording (a CUDA graph), since the
/// layers of a training step are part of a recording too.
template <class Layer>
DeviceWork record_layer(Device& device, const std::string& name, const Layer& layer) {
  const auto last = std::make_shared<std::optional<gpu::device::Recording>>();
  return {[&device, name, layer, last](std::int64_t times) {
            last->emplace(device, name);
            for (std::int64_t i = 0; i < times; ++i) layer();
            (*last)->perform();
          },
          [name, last] {
            if ((*last)->has_failed_check())
              throw std::runtime_error(name + ": a value is refused");
          }};
}

struct DeviceRow {
  std::string name;
  /// Number of times the work is submitted before the host waits for the device.
  std::int64_t batch;
  double bytes;                         ///< bytes that are read and written; 0 if not measured
  double operations;                    ///< number of operations; 0 if not measured
  std::function<DeviceWork()> prepare;  ///< called before timing starts
};

/// The rows of device_benchmark, which Google Benchmark runs. This object must outlive the run.
class DeviceRows {
 public:
  DeviceRows(Device& device, bool tiny) : device_(device), tiny_(tiny) {}
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  Device& device() const { return device_; }
  bool is_on_gpu() const { return device_.backend() == gpu::device::Backend::cuda; }
  bool tiny() const { return tiny_; }
  /// Returns a tensor of normally distributed numbers. There is one tensor per name. If a name is
  /// requested with another shape, its tensor is replaced.
  const DeviceTensor<double>& numbers(const std::string& name, const Shape& shape);

  void add(DeviceRow row);
  /// Whether some row ended with an error.
  bool failed() const { return failed_; }

 private:
  Device& device_;
  bool tiny_;
  bool failed_ = false;
  std::map<std::string, DeviceTensor<double>> numbers_;
  std::vector<DeviceRow> rows_;
};

/// Adds a row for a copy within device memory, with which the norms are compared.
void add_copy_benchmarks(DeviceRows& rows);
/// Adds rows for every norm of ref/model/norm_options.hpp, forward and backward.
void add_norm_benchmarks(DeviceRows& rows);
/// Adds rows for layer_norm and rms_norm in float32, bfloat16 and float16, applied to x and to x +
/// residual.
void add_float32_norm_benchmarks(DeviceRows& rows);
/// Adds rows for matrix products with each class of gpu/ops/products.hpp and, on a GPU, with direct
/// calls of cuBLAS.
void add_products(DeviceRows& rows);
/// Adds two rows for a training step. The first row uses matrix products that add in the order of
/// the contract, the second row uses matrix products of a library.
void add_training_step_benchmarks(DeviceRows& rows);

}  // namespace normproof::verification::benchmark
