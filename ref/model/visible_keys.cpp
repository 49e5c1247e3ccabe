#include "ref/model/visible_keys.hpp"

#include <algorithm>

namespace normproof::ref::model {

tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, bool causal) {
  if (!causal && valid == nullptr) return {};
  const std::size_t keys = extents.keys;
  if (!causal) {
    tensor::Mask visible = tensor::empty_tensor<bool>({keys});
    std::copy_n(valid, keys, visible.data());
    return visible;
  }
  tensor::Mask visible = tensor::empty_tensor<bool>({extents.rows(), keys});
  for (std::size_t row = 0; row < extents.rows(); ++row) {
    bool* const own = visible.data() + row * keys;
    const std::size_t i = row % extents.tokens;
    for (std::size_t j = 0; j < keys; ++j) own[j] = is_visible_in_causal_attention(extents, i, j);
    for (std::size_t j = 0; valid != nullptr && j < keys; ++j) own[j] = own[j] && valid[j];
  }
  return visible;
}

bool has_visible_key_in_every_row(const tensor::Mask& visible, std::size_t keys) {
  if (!tensor::is_given(visible)) return true;
  for (std::size_t at = 0; at < visible.size(); at += keys)
    if (std::find(visible.data() + at, visible.data() + at + keys, true) ==
        visible.data() + at + keys)
      return false;
  return true;
}

}  // namespace normproof::ref::model
