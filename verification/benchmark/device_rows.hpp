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

/// The work that a row times.
struct DeviceWork {
  std::function<void(std::int64_t times)> give;  ///< submits the work to the device's queue
  /// Called after the last time. Throws if something was rejected.
  std::function<void()> check = [] {};
};

/// Returns work in which each batch is a single recording, because in a training step the work of a
/// layer is part of one.
template <class Layer>
DeviceWork record_layer(Device& device, const std::string& name, const Layer& layer) {
  const auto last = std::make_shared<std::optional<gpu::device::Recording>>();
  return {[&device, name, layer, last](std::int64_t times) {
            last->emplace(device, name);
            for (std::int64_t i = 0; i < times; ++i) layer();
            (*last)->perform();
          },
          [name, last] {
            if ((*last)->refused()) throw std::runtime_error(name + ": a value is refused");
          }};
}

struct DeviceRow {
  std::string name;
  std::int64_t batch;  ///< number of times the work is submitted before waiting for the device
  double bytes;        ///< bytes read and written; 0 if not measured
  double operations;   ///< operations; 0 if not measured
  std::function<DeviceWork()> prepare;  ///< called before timing starts
};

/// The rows of device_benchmark, as Google Benchmark runs them. Must outlive the run.
class DeviceRows {
 public:
  DeviceRows(Device& device, bool tiny) : device_(device), tiny_(tiny) {}
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  Device& device() const { return device_; }
  bool on_gpu() const { return device_.backend() == gpu::device::Backend::cuda; }
  bool tiny() const { return tiny_; }
  /// Returns normal numbers. There is one tensor per name, with the shape requested last.
  const DeviceTensor<double>& numbers(const std::string& name, const Shape& shape);

  void add(DeviceRow row);
  /// Whether a row has ended with an error.
  bool failed() const { return failed_; }

 private:
  Device& device_;
  bool tiny_;
  bool failed_ = false;
  std::map<std::string, DeviceTensor<double>> numbers_;
  std::vector<DeviceRow> rows_;
};

/// Adds a copy within device memory, to which the norms are compared.
void add_copy(DeviceRows& rows);
/// Adds every norm of ref/model/norm_options.hpp, forward and backward.
void add_norms(DeviceRows& rows);
/// Adds layer_norm and rms_norm in float32, bfloat16 and float16, of x and of x + residual.
void add_float32_norms(DeviceRows& rows);
/// Adds products by each object of gpu/ops/products.hpp and, on a GPU, by direct calls of cuBLAS.
void add_products(DeviceRows& rows);
/// Adds a training step with ordered products and with those of a library.
void add_steps(DeviceRows& rows);

}  // namespace normproof::verification::benchmark
