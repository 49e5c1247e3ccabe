#include "ref/model/attention_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::model {

using numeric::Clause;
using numeric::contract_failure;
using tensor::Mask;
using tensor::Shape;

namespace {

void check_axes(std::string_view function, std::string_view name, const Shape& shape) {
  if (shape.size() == 4 && std::ranges::find(shape, std::size_t{0}) == shape.end()) return;
  contract_failure(function, name, "has shape " + tensor::to_string(shape),
                   "four axes, every extent at least 1", Clause::C1);
}

}  // namespace

Mask AttentionShape::visible_keys_of_sample(std::size_t sample, const Mask& valid,
                                            const KeyRange& range) const {
  const bool* const own = tensor::is_given(valid) ? valid.data() + sample * group.keys : nullptr;
  return visible_keys(group, own, range);
}

std::size_t AttentionShape::first_bias_index(std::size_t sample, std::size_t head) const {
  const std::size_t of_sample = bias[0] == 1 ? 0 : sample, of_head = bias[1] == 1 ? 0 : head;
  return (of_sample * bias[1] + of_head) * group.tokens * group.keys;
}

Mask AttentionShape::visible_keys_of_head(std::size_t sample, std::size_t kv_head,
                                          const Mask& valid, const KeyRange& range,
                                          const Mask& bias_visible) const {
  Mask of_sample = visible_keys_of_sample(sample, valid, range);
  if (!tensor::is_given(bias_visible)) return of_sample;
  const std::size_t keys = group.keys;
  Mask result = tensor::empty_tensor<bool>({group.rows(), keys});
  for (std::size_t row = 0; row < group.rows(); ++row) {
    const bool* const own = bias_visible.data() +
                            first_bias_index(sample, kv_head * group.heads + row / group.tokens) +
                            row % group.tokens * keys;
    const std::size_t first = of_sample.size() == keys ? 0 : row * keys;
    for (std::size_t j = 0; j < keys; ++j)
      result.data()[row * keys + j] =
          own[j] && (!tensor::is_given(of_sample) || of_sample.data()[first + j]);
  }
  return result;
}

bool AttentionShape::every_query_sees_a_key(const Mask& valid, const KeyRange& range,
                                            const Mask& bias_visible) const {
  const std::size_t count = tensor::is_given(bias_visible) ? kv_heads : 1;
  for (std::size_t i = 0; i < batch_size * count; ++i)
    if (!has_visible_key_in_every_row(
            visible_keys_of_head(i / count, i % count, valid, range, bias_visible), group.keys))
      return false;
  return true;
}

std::string AttentionShape::describe_heads(std::size_t sample, std::size_t kv_head) const {
  return fmt::format("attention in sample {}, heads {} to {}", sample, kv_head * group.heads,
                     (kv_head + 1) * group.heads - 1);
}

AttentionShape attention_shape(std::string_view function, const Shape& q, const Shape& k,
                               const Shape& v, const Shape& valid, const AttentionOptions& options,
                               const Shape& sinks, const Shape& bias) {
  for (const auto& [name, shape] : {std::pair("q", q), std::pair("k", k), std::pair("v", v)})
    check_axes(function, name, shape);
  if (k[0] != q[0] || k[3] != q[3] || q[1] % k[1] != 0)
    contract_failure(function, "k", "has shape " + tensor::to_string(k),
                     fmt::format("[{},G,S,{}], G a divisor of {}", q[0], q[3], q[1]), Clause::C2);
  tensor::check_shape(function, "v", v, {k[0], k[1], k[2], v[3]}, Clause::C2);
  if (!valid.empty()) tensor::check_shape(function, "valid", valid, {k[0], k[2]}, Clause::C3);
  if (options.scale)
    tensor::check_option(function, "scale", *options.scale, *options.scale > 0, "scale > 0",
                         Clause::C4);
  if (options.soft_cap)
    tensor::check_option(function, "soft_cap", *options.soft_cap, *options.soft_cap > 0,
                         "soft_cap > 0", Clause::C8);
  if (!sinks.empty()) tensor::check_shape(function, "sinks", sinks, {q[1]}, Clause::C9);
  if (!bias.empty() && (bias.size() != 4 || (bias[0] != 1 && bias[0] != q[0]) ||
                        (bias[1] != 1 && bias[1] != q[1]) || bias[2] != q[2] || bias[3] != k[2]))
    contract_failure(function, "bias", "has shape " + tensor::to_string(bias),
                     fmt::format("[{} or 1,{} or 1,{},{}]", q[0], q[1], q[2], k[2]), Clause::C10);
  return {.batch_size = q[0],
          .kv_heads = k[1],
          .group = {q[1] / k[1], q[2], k[2]},
          .features = q[3],
          .value_features = v[3],
          .bias = bias};
}

SplitBias split_bias(const tensor::Tensor<double>& bias) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  SplitBias result{bias, {}};
  if (std::ranges::find(bias, kHidden) == bias.end()) return result;
  result.visible = tensor::full_tensor<bool>(tensor::shape_of(bias), true);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    if (bias.data()[i] != kHidden) continue;
    result.visible.data()[i] = false;
    result.finite.data()[i] = 0;
  }
  return result;
}

}  // namespace normproof::ref::model
