#include "ref/model/visible_keys.hpp"

#include <algorithm>

namespace normproof::ref::model {

KeyRange key_range(const AttentionOptions& options) {
  return {.causal = options.causal,
          .corner = options.mask_corner,
          .before = options.window_left,
          .after = options.window_right};
}

bool is_in_range(const QueriesAndKeys& extents, const KeyRange& range, std::size_t i,
                 std::size_t j) {
  // The key is at the position of the query if the two numbers are equal.
  const bool from_the_end = range.corner == MaskCorner::bottom_right;
  const std::size_t key = from_the_end ? j + extents.tokens : j;
  const std::size_t query = from_the_end ? i + extents.keys : i;
  if (key > query) return !range.causal && (!range.after || key - query <= *range.after);
  return !range.before || query - key <= *range.before;
}

tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, const KeyRange& range) {
  if (!range.hides_keys() && valid == nullptr) return {};
  const std::size_t keys = extents.keys;
  if (!range.hides_keys()) {
    tensor::Mask visible = tensor::empty_tensor<bool>({keys});
    std::copy_n(valid, keys, visible.data());
    return visible;
  }
  tensor::Mask visible = tensor::empty_tensor<bool>({extents.rows(), keys});
  for (std::size_t row = 0; row < extents.rows(); ++row) {
    bool* const own = visible.data() + row * keys;
    const std::size_t i = row % extents.tokens;
    for (std::size_t j = 0; j < keys; ++j) own[j] = is_in_range(extents, range, i, j);
    for (std::size_t j = 0; valid != nullptr && j < keys; ++j) own[j] = own[j] && valid[j];
  }
  return visible;
}

tensor::Mask add_visible_sink(const tensor::Mask& visible, std::size_t keys) {
  if (!tensor::is_given(visible)) return {};
  tensor::Shape shape = tensor::shape_of(visible);
  shape.back() = keys + 1;
  tensor::Mask result = tensor::full_tensor<bool>(shape, true);
  for (std::size_t row = 0; row * keys < visible.size(); ++row)
    std::copy_n(visible.data() + row * keys, keys, result.data() + row * (keys + 1));
  return result;
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
