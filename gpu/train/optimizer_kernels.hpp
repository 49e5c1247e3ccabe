#pragma once

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::train {

using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// Finds the gradient of each element of a parameter.
struct GradientSpan {
  ConstReals values;
  /// The index in `values` of each row of the parameter, or an index past the end if the gradient
  /// does not contain the row. Absent if the gradient is full.
  ConstIndices place;
  std::size_t width;  ///< the number of elements of a row
  std::size_t rows;   ///< the number of rows of `values`

  NORMPROOF_DEVICE bool has(std::size_t i) const {
    return !place.given() || place[i / width] < rows;
  }
  NORMPROOF_DEVICE double operator()(std::size_t i) const {
    if (!place.given()) return values[i];
    const std::size_t row = place[i / width];
    return row < rows ? values[row * width + i % width] : 0.0;
  }
};

/// A step of SGD: p -= lr g. If the gradient is stored by rows, rows that it does not contain stay
/// unchanged.
struct SgdStep {
  GradientSpan g;
  double lr;
  Reals p;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if (g.has(i)) p[i] -= lr * g(i);
  }
};

/// A step of SGD with momentum: v = momentum v + g, then p -= lr v.
struct MomentumStep {
  GradientSpan g;
  double lr, momentum;
  Reals p, v;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    v[i] = momentum * v[i] + g(i);
    p[i] -= lr * v[i];
  }
};

/// A step of Adam, or of AdamW if `decays` is true (docs/specification/training.md).
struct AdamStep {
  GradientSpan g;
  bool decays;
  double beta1, beta2, eps, step_size, root, kept;
  Reals p, m, v;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double gradient = g(i);
    if (decays) p[i] *= kept;
    m[i] = beta1 * m[i] + (1.0 - beta1) * gradient;
    v[i] = beta2 * v[i] + ((1.0 - beta2) * gradient) * gradient;
    p[i] -= (step_size * m[i]) / (__builtin_sqrt(v[i]) / root + eps);
  }
};

/// Multiplies each element of y by the factor.
struct ScaleInPlace {
  double factor;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] *= factor; }
};

/// Computes the squares y = x^2. The caller checks whether a square overflowed.
struct Square {
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = x[i] * x[i]; }
};

/// Computes the sum of squares of several tensors, each tensor in its own block. One warp adds a
/// chunk of elements, lane by lane, while the other threads load the next chunk into shared memory.
struct SquareSums {
  static constexpr int kThreads = 256;
  static constexpr int kBlocks = 4;
  static constexpr std::size_t kChunk = 2816;
  static_assert(kChunk % ops::kLanes == 0);
  struct Shared {
    double square[2][kChunk];
    double lane[ops::kLanes];
  };
  struct Thread {
    double sum;
  };
  device::Span<const ConstReals> tensors;
  int chunks;  ///< the number of chunks of the longest tensor
  Reals sums;

  NORMPROOF_DEVICE int steps() const { return chunks + ops::kTreeSteps + 3; }
  NORMPROOF_DEVICE void step(int s, device::Position at, Thread& own, Shared& shared) const {
    const auto thread = static_cast<std::size_t>(at.thread);
    if (s <= chunks) {
      if (thread >= ops::kLanes)
        load_squares(tensors[at.block], s, thread - ops::kLanes, shared);
      else
        add(tensors[at.block], s - 1, thread, own, shared);
      return;
    }
    const int in_tree = s - chunks - 1;
    if (in_tree == 0) {
      if (thread < ops::kLanes) shared.lane[thread] = own.sum;
    } else if (in_tree <= ops::kTreeSteps) {
      const int stride = ops::kLanes >> in_tree;
      if (at.thread < stride) shared.lane[thread] += shared.lane[at.thread + stride];
    } else if (thread == 0) {
      sums[at.block] = shared.lane[0];
    }
  }

 private:
  /// Returns the number of elements of the chunk that begins at `first`; 0 past the end of x.
  static NORMPROOF_DEVICE std::size_t chunk_size(const ConstReals& x, std::size_t first) {
    if (x.size <= first) return 0;
    return x.size - first < kChunk ? x.size - first : kChunk;
  }
  static NORMPROOF_DEVICE void load_squares(const ConstReals& x, int chunk, std::size_t thread,
                                            Shared& shared) {
    const std::size_t first = static_cast<std::size_t>(chunk) * kChunk,
                      count = chunk_size(x, first);
    for (std::size_t i = thread; i < count; i += kThreads - ops::kLanes)
      shared.square[chunk % 2][i] = x[first + i] * x[first + i];
  }
  static NORMPROOF_DEVICE void add(const ConstReals& x, int chunk, std::size_t lane, Thread& own,
                                   const Shared& shared) {
    if (chunk < 0) {
      own.sum = 0;
      return;
    }
    const std::size_t count = chunk_size(x, static_cast<std::size_t>(chunk) * kChunk);
    for (std::size_t i = lane; i < count; i += ops::kLanes) own.sum += shared.square[chunk % 2][i];
  }
};

}  // namespace normproof::gpu::train
