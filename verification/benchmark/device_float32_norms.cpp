#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "gpu/norm/float32_norm.hpp"
#include "ref/numeric/random.hpp"
#include "verification/benchmark/device_rows.hpp"

namespace normproof::verification::benchmark {
namespace {

using gpu::norm::DeviceNumbers;
using gpu::norm::Float32NormInputs;
using ref::model::Float32NormOptions;
using ref::numeric::FloatType;

// how many different numbers there are before they repeat
constexpr std::size_t kDistinctFloats = 65'537;

/// Tensors of normally distributed numbers in device memory. There is one tensor per name. If a
/// name is requested with another format or shape, its tensor is replaced.
class FloatTensors {
 public:
  explicit FloatTensors(Device& device) : device_(device) {}

  const DeviceNumbers& of(const std::string& name, FloatType type, const Shape& shape) {
    DeviceNumbers& kept = kept_[name];
    if (kept.is_given() && kept.type() == type && kept.shape() == shape) return kept;
    kept = {};
    auto values = ref::tensor::empty_tensor<float>(shape);
    const ref::numeric::RandomStream random(1, name);
    const std::size_t distinct = std::min(values.size(), kDistinctFloats);
    for (std::size_t i = 0; i < values.size(); ++i)
      values.data()[i] = i < distinct ? static_cast<float>(round_to(type, random.normal(i)))
                                      : values.data()[i - distinct];
    return kept = gpu::norm::upload_numbers(device_, type, values);
  }

 private:
  Device& device_;
  std::map<std::string, DeviceNumbers> kept_;
};

struct FloatRow {
  bool centred;
  FloatType type;
  bool adds;  ///< whether a residual is added to x; backward reads the gradient of the sum
  bool backward;
  std::size_t rows, width;

  std::string name() const {
    return fmt::format(
        "norm/{}{}_{}/{}/{}x{}", adds ? "add_" : "", centred ? "layer_norm" : "rms_norm",
        ref::numeric::float_format_info(type).name, backward ? "backward" : "forward", rows, width);
  }
  /// The number of bytes that are read and written. A forward reads x and writes y; with a
  /// residual, it also reads the residual and writes the sum. A backward reads x and grad_y and
  /// writes grad_x; with a residual, it also reads the gradient of the sum.
  double bytes() const {
    const std::size_t tensors = backward ? (adds ? 4 : 3) : (adds ? 4 : 2);
    return static_cast<double>(
        tensors * rows * width *
        static_cast<std::size_t>(ref::numeric::float_format_info(type).bytes));
  }
};

DeviceWork make_work(Device& device, const std::shared_ptr<FloatTensors>& numbers,
                     const FloatRow& row) {
  const Float32NormOptions options{
      .centred = row.centred, .storage = row.type, .parameters = row.type};
  const Shape shape{row.rows, row.width}, features{row.width};
  Float32NormInputs in{.x = numbers->of("x", row.type, shape),
                       .gamma = numbers->of("gamma", row.type, features),
                       .beta = numbers->of("beta", row.type, features)};
  if (row.backward) in.grad_y = numbers->of("grad_y", row.type, shape);
  if (row.adds) in.residual = numbers->of("residual", row.type, shape);
  if (row.adds && row.backward) in.grad_sum = numbers->of("grad_sum", row.type, shape);
  if (!row.backward)
    return record_layer(device, row.name(), [=] { gpu::norm::float32_norm(options, in); });
  const auto forward = gpu::norm::float32_norm(options, in);
  return record_layer(device, row.name(),
                      [=] { gpu::norm::float32_norm_backward(options, in, forward); });
}

}  // namespace

void add_float32_norm_benchmarks(DeviceRows& rows) {
  const auto numbers = std::make_shared<FloatTensors>(rows.device());
  std::vector<std::pair<std::size_t, std::size_t>> sizes = {{65536, 1024}, {8192, 8192}};
  if (rows.tiny()) sizes = {{64, 8}, {16, 32}};
  for (const auto& [count, width] : sizes)
    for (const FloatType type : {FloatType::float32, FloatType::bfloat16, FloatType::float16})
      for (const bool adds : {false, true})
        for (const bool centred : {true, false})
          for (const bool backward : {false, true}) {
            const FloatRow row{centred, type, adds, backward, count, width};
            rows.add({.name = row.name(),
                      .batch = rows.tiny() ? 2 : 50,
                      .bytes = row.bytes(),
                      .operations = 0,
                      .prepare = [&rows, numbers, row] {
                        return make_work(rows.device(), numbers, row);
                      }});
          }
}

}  // namespace normproof::verification::benchmark
