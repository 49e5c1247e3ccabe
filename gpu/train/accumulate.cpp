#include "gpu/train/accumulate.hpp"

#include <algorithm>
#include <iterator>

#include "gpu/device/launch.hpp"
#include "gpu/ops/arithmetic.hpp"
#include "gpu/train/accumulate_kernels.hpp"

namespace normproof::gpu::train {
namespace {

using device::launch_elements;

/// For each of these rows its place among those of a gradient, or how many it has.
DeviceTensor<std::size_t> places(device::Device& device, const std::vector<std::size_t>& rows,
                                 const nn::RowGradient& of) {
  std::vector<std::size_t> place;
  place.reserve(rows.size());
  for (const std::size_t row : rows) {
    const auto found = std::ranges::lower_bound(of.rows, row);
    const bool has = found != of.rows.end() && *found == row;
    place.push_back(has ? static_cast<std::size_t>(found - of.rows.begin()) : of.rows.size());
  }
  return device::upload(device, place.data(), {place.size()});
}

/// a + b: the rows of both, ascending.
nn::RowGradient sum_of(const nn::RowGradient& a, const nn::RowGradient& b) {
  nn::RowGradient sum;
  std::ranges::set_union(a.rows, b.rows, std::back_inserter(sum.rows));
  device::Device& device = a.values.device();
  const std::size_t width = a.values.shape()[1];
  sum.values = DeviceTensor<double>(device, {sum.rows.size(), width});
  const auto of_a = places(device, sum.rows, a), of_b = places(device, sum.rows, b);
  launch_elements(device, sum.values.size(),
                  SumOfRows{a.values.span(), b.values.span(), of_a.span(), of_b.span(), width,
                            sum.values.span()});
  return sum;
}

}  // namespace

void accumulate(Gradients& sum, encoder::EncoderGradients own) {
  if (sum.rows.empty()) {
    sum.dense = std::move(own.dense);
    sum.rows.emplace_back("embedding.weight", std::move(own.embedding));
    return;
  }
  NamedDeviceTensors total;
  for (const auto& [name, values] : own.dense)
    total.set(name, ops::add(sum.dense.at(name), values));
  sum.dense = std::move(total);
  sum.rows[0].second = sum_of(sum.rows[0].second, own.embedding);
}

void divide(Gradients& gradients, std::size_t count) {
  const auto n = static_cast<double>(count);
  const auto each = [&](DeviceTensor<double> values) {
    launch_elements(values.device(), values.size(), DivideInPlace{n, values.span()});
  };
  for (const auto& [name, values] : gradients.dense) each(values);
  for (const auto& [name, rows] : gradients.rows) each(rows.values);
}

}  // namespace normproof::gpu::train
