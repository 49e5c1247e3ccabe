#include "gpu/nn/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/device/launch.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "ref/numeric/square_root.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {
namespace {

using ref::numeric::Clause;
using ref::numeric::contract_failure;

void check_tokens(std::string_view function, const Tokens& tokens, std::size_t vocab_size) {
  const std::size_t count = tokens.batch_size * tokens.seq_len;
  if (count == 0 || tokens.ids.size() != count)
    contract_failure(function, "tokens",
                     fmt::format("has {} ids for B {} and T {}", tokens.ids.size(),
                                 tokens.batch_size, tokens.seq_len),
                     "B T of them, both at least 1", Clause::C1);
  for (std::size_t i = 0; i < count; ++i)
    if (tokens.ids[i] < 0 || static_cast<std::size_t>(tokens.ids[i]) >= vocab_size)
      contract_failure(function, "tokens",
                       fmt::format("has the id {} at [{}, {}]", tokens.ids[i], i / tokens.seq_len,
                                   i % tokens.seq_len),
                       fmt::format("0 to {}", vocab_size - 1), Clause::C2);
}

DeviceTensor<std::size_t> upload_indices(Device& device, const std::vector<std::size_t>& indices) {
  return device::upload(device, indices.data(), {indices.size()});
}

/// Multiplies x by the square root of the extent of its last axis.
void scale(DeviceTensor<double>& x) {
  const double root = ref::numeric::square_root(static_cast<double>(x.shape().back()));
  device::launch_elements(x.device(), x.size(), Scale{root, x.span(), x.span()});
}

}  // namespace

DeviceTensor<double> embedding(const Tokens& tokens, const DeviceTensor<double>& weight,
                               bool scaled) {
  if (weight.shape().size() != 2 || !weight.is_given())
    contract_failure("embedding", "weight", "has shape " + ref::tensor::to_string(weight.shape()),
                     "[V,D]", Clause::C3);
  check_tokens("embedding", tokens, weight.shape()[0]);
  Device& device = weight.device();
  const std::size_t width = weight.shape()[1];
  const auto ids = upload_indices(device, {tokens.ids.begin(), tokens.ids.end()});
  DeviceTensor<double> y(device, {tokens.batch_size, tokens.seq_len, width});
  device::launch_elements(device, y.size(), GatherRows{weight.span(), ids.span(), width, y.span()});
  if (scaled) scale(y);
  return y;
}

RowGradient embedding_backward(const DeviceTensor<double>& grad_y, const Tokens& tokens,
                               std::size_t vocab_size, bool scaled) {
  check_tokens("embedding_backward", tokens, vocab_size);
  const std::size_t width = grad_y.shape().size() == 3 ? grad_y.shape()[2] : 1;
  ref::tensor::check_shape("embedding_backward", "grad_y", grad_y.shape(),
                           {tokens.batch_size, tokens.seq_len, width}, Clause::C4);
  // Sorts the positions by token id. Positions with the same id stay in ascending order.
  std::vector<std::size_t> order(tokens.ids.size()), begins;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return tokens.ids[i]; });
  RowGradient gradient;
  gradient.rows.reserve(order.size());
  begins.reserve(order.size() + 1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto id = static_cast<std::size_t>(tokens.ids[order[k]]);
    if (!gradient.rows.empty() && gradient.rows.back() == id) continue;
    gradient.rows.push_back(id);
    begins.push_back(k);
  }
  begins.push_back(order.size());
  Device& device = grad_y.device();
  gradient.values = DeviceTensor<double>(device, {gradient.rows.size(), width});
  const auto order_there = upload_indices(device, order),
             begins_there = upload_indices(device, begins);
  device::launch_elements(device, gradient.values.size(),
                          ScatterRows{grad_y.span(), order_there.span(), begins_there.span(), width,
                                      gradient.values.span()});
  if (scaled) scale(gradient.values);
  return gradient;
}

void add_rows(DeviceTensor<double>& whole, const RowGradient& rows) {
  const auto rows_there = upload_indices(whole.device(), rows.rows);
  device::launch_elements(
      whole.device(), rows.values.size(),
      AddRows{rows.values.span(), rows_there.span(), whole.shape()[1], whole.span()});
}

}  // namespace normproof::gpu::nn
