#include "gpu/train/accumulate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "gpu/device/launch.hpp"
#include "gpu/ops/arithmetic.hpp"
#include "gpu/train/accumulate_kernels.hpp"

namespace normproof::gpu::train {
namespace {

using device::launch_elements;

/// Finds each row of the list `rows` in a gradient that is stored by rows (the parameter `of`), and
/// returns the positions. If the gradient does not contain a row, the position is the gradient's
/// number of rows.
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

/// Returns a + b. The result contains every row that a or b contains, in ascending order.
nn::RowGradient add_row_gradients(const nn::RowGradient& a, const nn::RowGradient& b) {
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

Gradients to_named_gradients(encoder::EncoderGradients own) {
  Gradients gradients;
  gradients.dense = std::move(own.dense);
  if (!own.embedding.rows.empty())
    gradients.rows.emplace_back("embedding.weight", std::move(own.embedding));
  return gradients;
}

void accumulate(Gradients& sum, Gradients own) {
  if (sum.dense.size() == 0) {
    sum = std::move(own);
    return;
  }
  NamedDeviceTensors total;
  for (const auto& [name, values] : own.dense)
    total.set(name, ops::add(sum.dense.at(name), values));
  sum.dense = std::move(total);
  for (std::size_t k = 0; k < own.rows.size(); ++k)
    sum.rows[k].second = add_row_gradients(sum.rows[k].second, own.rows[k].second);
}

void divide(Gradients& gradients, std::size_t count) {
  const auto n = static_cast<double>(count);
  const auto each = [&](DeviceTensor<double> values) {
    launch_elements(values.device(), values.size(), DivideInPlace{n, values.span()});
  };
  for (const auto& [name, values] : gradients.dense) each(values);
  for (const auto& [name, rows] : gradients.rows) each(rows.values);
}

void set_iterations_to_one_step(const ref::model::NormOptions& norm, NamedDeviceTensors& norms,
                                const NamedDeviceTensors& before, std::string_view places) {
  if (!std::holds_alternative<ref::model::PowerNormOptions>(norm)) return;
  NamedDeviceTensors counted;
  for (const auto& [name, values] : norms)
    if (name.starts_with(places) && name.ends_with(".iterations"))
      counted.set(name, device::full_tensor(values.device(), {1},
                                            device::download_element(before.at(name)) + 1));
  for (const auto& [name, values] : counted) norms.set(name, values);
}

}  // namespace normproof::gpu::train
