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

/// What a row times.
struct DeviceWork {
  std::function<void(std::int64_t times)> give;  ///< to the device's queue
  /// After the last time; throws where something was refused.
  std::function<void()> check = [] {};
};

/// A batch of the work is one recording, as in a step of training what a layer does is a part of
/// one.
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
  std::int64_t batch;  ///< how often the work is given before the device is waited for
  double bytes;        ///< that it reads and writes, or 0: not asked
  double operations;   ///< that it counts, or 0: not asked
  std::function<DeviceWork()> prepare;  ///< before the clock runs
};

/// The rows of device_benchmark, as Google Benchmark runs them. Has to outlive the run.
class DeviceRows {
 public:
  DeviceRows(Device& device, bool tiny) : device_(device), tiny_(tiny) {}
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  Device& device() const { return device_; }
  bool on_gpu() const { return device_.backend() == gpu::device::Backend::cuda; }
  bool tiny() const { return tiny_; }
  /// Normal numbers. A name has one tensor, that of the last shape asked for.
  const DeviceTensor<double>& numbers(const std::string& name, const Shape& shape);

  void add(DeviceRow row);
  /// Whether a row that has run ended with an error.
  bool failed() const { return failed_; }

 private:
  Device& device_;
  bool tiny_;
  bool failed_ = false;
  std::map<std::string, DeviceTensor<double>> numbers_;
  std::vector<DeviceRow> rows_;
};

/// A copy from one place of the device's memory to another: what the norms are measured by.
void add_copy(DeviceRows& rows);
/// Every norm of ref/model/norm_options.hpp, forward and backward.
void add_norms(DeviceRows& rows);
/// layer_norm and rms_norm of float32, bfloat16 and float16, of x and of x + residual.
void add_float32_norms(DeviceRows& rows);
/// Products by each of gpu/ops/products.hpp and, on a GPU, by cuBLAS called directly.
void add_products(DeviceRows& rows);
/// A step of training with ordered products and with those of a library.
void add_steps(DeviceRows& rows);

}  // namespace normproof::verification::benchmark
