#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// The positions of the real tokens of each sentence, in ascending order, as a kernel sees them.
struct Places {
  ConstIndices place;  ///< [B,T], or absent if every position is a real token
  ConstIndices count;  ///< [B]
  std::size_t seq_len = 0;

  NORMPROOF_DEVICE std::size_t size(std::size_t sentence) const {
    return place.given() ? count[sentence] : seq_len;
  }
  NORMPROOF_DEVICE std::size_t at(std::size_t sentence, std::size_t k) const {
    return place.given() ? place[sentence * seq_len + k] : k;
  }
};

/// A mask in device memory, with the positions of the valid elements in each of its rows
/// ("sentences"). A row is the last axis, or `width` elements if that is given. In a mask of shape
/// [N] each element is a row of its own. A default-constructed mask says that everything is valid.
class DeviceMask {
 public:
  DeviceMask() = default;
  DeviceMask(Device& device, const Mask& valid);
  DeviceMask(Device& device, const Mask& valid, std::size_t width);
  /// A mask that a kernel has written. It is only for softmax: rows(), count() and first_empty()
  /// are meaningless.
  /// Shapes    flags [..., T]; places [.., T], the positions of the valid elements of each row, in
  ///           ascending order; counts [..], the number of valid elements in each row
  DeviceMask(DeviceTensor<bool> flags, DeviceTensor<std::size_t> places,
             DeviceTensor<std::size_t> counts);

  bool is_given() const { return flags_.is_given(); }
  const Shape& shape() const { return flags_.shape(); }
  /// Returns the same mask with another shape.
  DeviceMask reshaped(const Shape& shape) const;
  /// Whether some row is not valid.
  bool masks() const { return masks_; }
  /// The number of valid rows; 0 for a mask that is not given.
  std::size_t count() const { return count_; }
  /// The index of the first sentence without a valid token, or B if there is none.
  std::size_t first_empty() const { return first_empty_; }

  /// One flag per row.
  Mask host_flags() const { return download(flags_); }
  /// Absent (for a kernel) if no row is masked.
  ConstFlags flags() const { return masks_ ? flags_.span() : ConstFlags{}; }
  /// The indices of the valid rows in ascending order; absent if no row is masked.
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
