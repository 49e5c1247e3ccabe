#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// The positions of the real tokens (not padding) of each sentence, in ascending order, as a view
/// for kernels.
struct TokenPositions {
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

/// A mask of valid elements in device memory, [..., width]. Each index of the leading axes selects
/// a row ("sentence") of `width` elements. By default `width` is the extent of the last axis; for a
/// mask of shape [N] it is 1. The constructor can set another width. For each row the mask also
/// holds the positions of its valid elements. A default-constructed mask means that every element
/// is valid.
class DeviceMask {
 public:
  DeviceMask() = default;
  DeviceMask(Device& device, const Mask& valid);
  DeviceMask(Device& device, const Mask& valid, std::size_t width);
  /// Wraps a mask that a kernel has written. Only softmax can use it, because rows(), count() and
  /// first_empty_sentence() are not set.
  /// Shapes    flags [..., T]; places [.., T], the positions of the valid elements of each row, in
  ///           ascending order; counts [..], the number of valid elements in each row
  DeviceMask(DeviceTensor<bool> flags, DeviceTensor<std::size_t> places,
             DeviceTensor<std::size_t> counts);

  bool is_given() const { return flags_.is_given(); }
  const Shape& shape() const { return flags_.shape(); }
  /// Returns the same mask with another shape.
  DeviceMask reshaped(const Shape& shape) const;
  /// Whether the mask excludes at least one element.
  bool masks() const { return masks_; }
  /// Returns the number of valid elements. If no mask is given, the result is 0.
  std::size_t count() const { return count_; }
  /// Returns the index of the first sentence without a valid token, or B (the number of sentences)
  /// if there is none.
  std::size_t first_empty_sentence() const { return first_empty_sentence_; }

  /// Downloads the flags: true for each valid element.
  Mask host_flags() const { return download(flags_); }
  /// Returns the flags for a kernel. If every element is valid, the result is an absent span.
  ConstFlags flags() const { return masks_ ? flags_.span() : ConstFlags{}; }
  /// Returns the indices of the valid elements in ascending order. If every element is valid, the
  /// result is an absent span.
  ConstIndices rows() const { return masks_ ? rows_.span() : ConstIndices{}; }
  TokenPositions places(std::size_t seq_len) const {
    return masks_ ? TokenPositions{places_.span(), counts_.span(), seq_len}
                  : TokenPositions{{}, {}, seq_len};
  }

 private:
  DeviceTensor<bool> flags_;
  DeviceTensor<std::size_t> rows_, places_, counts_;
  std::size_t count_ = 0;
  std::size_t first_empty_sentence_ = 0;
  bool masks_ = false;
};

}  // namespace normproof::gpu::device
