#pragma once

#include "gpu/device/mask.hpp"
#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::encoder {

using device::ConstFlags;
using device::ConstReals;
using device::Reals;
using device::TokenPositions;

/// Mean pooling: the mean of each feature over the real tokens of each sentence. Row `b D + d` of
/// the kernel computes feature d of sentence b. The sum skips padding; it adds the real tokens in
/// the order of docs/specification/determinism.md, R2.
struct MeanPooling {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals x;
  TokenPositions places;
  std::size_t width;
  Reals pooled;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    const std::size_t sentence = row / width;
    return ops::lane_sum(places.size(sentence), lane, [&](std::size_t k) {
      return x[(sentence * places.seq_len + places.at(sentence, k)) * width + row % width];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    if (lane == 0) pooled[row] = totals[0] / static_cast<double>(places.size(row / width));
  }
};

/// The backward of mean pooling. The gradient of element (b, t, d) of x is `grad_p_bd / n_b` if
/// token t is real, and +0 if it is padding. Here grad_p is the gradient of the pooled output, and
/// n_b is the number of real tokens of sentence b.
struct MeanPoolingBackward {
  ConstReals grad_pooled;
  TokenPositions places;
  ConstFlags valid;
  std::size_t width;
  Reals grad_x;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t row = i / width;
    const std::size_t sentence = row / places.seq_len;
    const bool real = !valid.given() || valid[row];
    grad_x[i] = real ? grad_pooled[sentence * width + i % width] /
                           static_cast<double>(places.size(sentence))
                     : 0.0;
  }
};

}  // namespace normproof::gpu::encoder
