#include "ref/model/attention_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

bool AttentionShape::every_query_sees_a_key(const Mask& valid, const KeyRange& range) const {
  for (std::size_t sample = 0; sample < batch_size; ++sample)
    if (!has_visible_key_in_every_row(visible_keys_of_sample(sample, valid, range), group.keys))
      return false;
  return true;
}

std::string AttentionShape::describe_heads(std::size_t sample, std::size_t kv_head) const {
  return fmt::format("attention in sample {}, heads {} to {}", sample, kv_head * group.heads,
                     (kv_head + 1) * group.heads - 1);
}

AttentionShape attention_shape(std::string_view function, const Shape& q, const Shape& k,
                               const Shape& v, const Shape& valid, const AttentionOptions& options,
                               const Shape& sinks) {
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
  return {.batch_size = q[0],
          .kv_heads = k[1],
          .group = {q[1] / k[1], q[2], k[2]},
          .features = q[3],
          .value_features = v[3]};
}

}  // namespace normproof::ref::model
