#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// Of each sentence the places of its real tokens, ascending, as a kernel sees them.
struct Places {
  ConstIndices place;  ///< [B,T], or absent: every place
  ConstIndices count;  ///< [B]
  std::size_t seq_len = 0;

  NORMPROOF_DEVICE std::size_t size(std::size_t sentence) const {
    return place.given() ? count[sentence] : seq_len;
  }
  NORMPROOF_DEVICE std::size_t at(std::size_t sentence, std::size_t k) const {
    return place.given() ? place[sentence * seq_len + k] : k;
  }
};

/// A mask in a device's memory, with the places of what is valid in each of its rows ("sentences"):
/// its last axis, but of a mask [N] each element alone, unless `width` says otherwise. A default
/// one says that everything is valid.
class DeviceMask {
 public:
  DeviceMask() = default;
  DeviceMask(Device& device, const Mask& valid);
  DeviceMask(Device& device, const Mask& valid, std::size_t width);
  /// What a kernel has written, for softmax alone: rows(), count() and first_empty() say nothing.
  /// Shapes    flags [..., T]; places [.. T], of each row those that are valid, ascending; counts
  ///           [..], how many of them
  DeviceMask(DeviceTensor<bool> flags, DeviceTensor<std::size_t> places,
             DeviceTensor<std::size_t> counts);

  bool is_given() const { return flags_.is_given(); }
  const Shape& shape() const { return flags_.shape(); }
  /// The mask's rows under another shape.
  DeviceMask reshaped(const Shape& shape) const;
  /// Whether some row is not valid.
  bool masks() const { return masks_; }
  /// Valid rows; of one that is not given 0.
  std::size_t count() const { return count_; }
  /// The first sentence without a valid token, or B where there is none.
  std::size_t first_empty() const { return first_empty_; }

  /// One flag a row; absent (for a kernel) where no row is masked.
  Mask host_flags() const { return download(flags_); }
  ConstFlags flags() const { return masks_ ? flags_.span() : ConstFlags{}; }
  /// The numbers of the valid rows, ascending; absent where no row is masked.
  ConstIndices rows() const { return masks_ ? rows_.span() : ConstIndices{}; }
  Places places(std::size_t seq_len) const {
    return masks_ ? Places{places_.span(), counts_.span(), seq_len} : Places{{}, {}, seq_len};
  }

 private:
  DeviceTensor<bool> flags_;
  DeviceTensor<std::size_t> rows_, places_, counts_;
  std::size_t count_ = 0;
  std::size_t first_empty_ = 0;
  bool masks_ = false;
};

}  // namespace normproof::gpu::device
