#include "gpu/device/mask.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace normproof::gpu::device {

DeviceMask::DeviceMask(Device& device, const Mask& valid)
    : DeviceMask(device, valid, valid.dimension() > 1 ? valid.shape().back() : 1) {}

DeviceMask::DeviceMask(Device& device, const Mask& valid, std::size_t seq_len)
    : flags_(upload(device, valid)) {
  if (!is_given()) return;
  const std::size_t sentences = valid.size() / seq_len;
  std::vector<std::size_t> rows, counts(sentences, 0), places(valid.size(), 0);
  rows.reserve(valid.size());
  first_empty_sentence_ = sentences;
  for (std::size_t b = 0; b < sentences; ++b) {
    for (std::size_t t = 0; t < seq_len; ++t) {
      if (!valid.data()[b * seq_len + t]) continue;
      rows.push_back(b * seq_len + t);
      places[b * seq_len + counts[b]++] = t;
    }
    if (counts[b] == 0 && first_empty_sentence_ == sentences) first_empty_sentence_ = b;
  }
  count_ = rows.size();
  masks_ = count_ < valid.size();
  if (!masks_) return;
  rows.resize(std::max<std::size_t>(count_, 1));
  rows_ = upload(device, rows.data(), {rows.size()});
  places_ = upload(device, places.data(), {places.size()});
  counts_ = upload(device, counts.data(), {sentences});
}

DeviceMask::DeviceMask(DeviceTensor<bool> flags, DeviceTensor<std::size_t> places,
                       DeviceTensor<std::size_t> counts)
    : flags_(std::move(flags)),
      places_(std::move(places)),
      counts_(std::move(counts)),
      masks_(true) {}

DeviceMask DeviceMask::reshaped(const Shape& shape) const {
  DeviceMask result = *this;
  result.flags_ = flags_.reshaped(shape);
  return result;
}

}  // namespace normproof::gpu::device
