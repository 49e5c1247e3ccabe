#include "verification/training/step_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "ref/tensor/contract.hpp"
#include "verification/golden/certify/nearest.hpp"

namespace normproof::verification::training {

using ref::io::DType;
using ref::numeric::ball;
using ref::tensor::Tensor;

DType tap_tensor_dtype(const std::string& name) {
  if (name.find(".keep") != std::string::npos) return DType::boolean;
  return name.find(".row_ids") != std::string::npos ? DType::int64 : DType::float64;
}

std::string StepRecord::make_unique_name(const std::string& name) {
  const int times = ++seen_[name];
  return times == 1 ? name : fmt::format("{}.{}", name, times);
}

void StepRecord::add(const std::string& name, const Tensor<double>& values) {
  tensors_.push_back(ref::io::make_tensor(name, tap_tensor_dtype(name),
                                          ref::tensor::shape_of(values),
                                          std::span(values.data(), values.size())));
}

std::optional<std::string> StepRecord::add(const std::string& name, const Tensor<ball>& values) {
  const ref::tensor::Shape shape = ref::tensor::shape_of(values);
  std::vector<double> nearest, remainder;
  nearest.reserve(values.size());
  remainder.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = golden::certify::nearest(values.data()[i], DType::float64);
    const auto rest =
        value && std::isfinite(value->value)
            ? golden::certify::nearest(values.data()[i] - ball(value->value), DType::float64)
            : std::nullopt;
    if (!rest) return fmt::format("{} at {}", name, ref::tensor::index_to_string(i, shape));
    nearest.push_back(value->value);
    remainder.push_back(rest->value);
  }
  const DType dtype = tap_tensor_dtype(name);
  tensors_.push_back(ref::io::make_tensor(name, dtype, shape, nearest));
  if (dtype == DType::float64)
    tensors_.push_back(ref::io::make_tensor(fmt::format("{}_lo", name), dtype, shape,
                                            std::span<const double>(remainder)));
  return std::nullopt;
}

}  // namespace normproof::verification::training
