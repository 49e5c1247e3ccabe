#pragma once

#include "gpu/device/span.hpp"
#include "ref/numeric/kept_or_zero.hpp"
#include "ref/numeric/philox.hpp"

/// The elementwise kernels of the folder gpu/nn.
namespace normproof::gpu::nn {

using device::ConstFlags;
using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// Repeats a row: y_i = row_{i mod width}.
struct RepeatRow {
  ConstReals row;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = row[i % row.size]; }
};

/// Multiplies by a number: y = factor x.
struct Scale {
  double factor;
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = x[i] * factor; }
};

/// Divides by a number, in place.
struct DivideBy {
  double divisor;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = y[i] / divisor; }
};

/// Adds a bias [B or 1, H or 1, T, S] to scores [B,H,T,S], in place. If a step is 0, all samples or
/// all heads have the same elements of the bias.
struct AddBias {
  ConstReals bias;
  std::size_t heads, elements;         ///< H; T S
  std::size_t sample_step, head_step;  ///< from one sample or head to the next in the bias
  Reals scores;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t head = i / elements % heads, sample = i / elements / heads;
    scores[i] = scores[i] + bias[sample * sample_step + head * head_step + i % elements];
  }
};

/// Appends one element to each row of x, which has `width` elements per row. The element of row r
/// is element r / rows_per_element of `last`, which is repeated if it has fewer elements.
struct AppendColumn {
  ConstReals x, last;
  std::size_t width, rows_per_element;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t row = i / (width + 1), column = i % (width + 1);
    y[i] = column < width ? x[row * width + column] : last[row / rows_per_element % last.size];
  }
};

/// Divides the rows of x, of `width` + 1 elements, into their first elements and their last
/// element.
struct SplitLastColumn {
  ConstReals x;
  std::size_t width;
  Reals first, last;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t row = i / (width + 1), column = i % (width + 1);
    if (column < width)
      first[row * width + column] = x[i];
    else
      last[row] = x[i];
  }
};

/// Changes the order of the first two axes: y [B,A,C] has the elements of x [A,B,C].
struct ExchangeAxes {
  ConstReals x;
  std::size_t a, b, c;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t of_a = i / c % a, of_b = i / c / a;
    y[i] = x[(of_a * b + of_b) * c + i % c];
  }
};

/// Applies a rotary embedding: rotates each pair of features by the angle of its token
/// (ref/nn/rotary_embedding.hpp), or by the opposite angle if `back` is true.
struct RotatePairs {
  ConstReals x, cos, sin;
  std::size_t tokens, width, pairs;
  bool interleaved, back;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t d = i % width, first = i - d;
    if (d >= 2 * pairs) {
      y[i] = x[i];
      return;
    }
    const std::size_t pair = interleaved ? d / 2 : d % pairs;
    const bool second = interleaved ? d % 2 == 1 : d >= pairs;
    const std::size_t a = interleaved ? 2 * pair : pair, b = interleaved ? a + 1 : a + pairs;
    const std::size_t at = i / width % tokens * pairs + pair;
    const double along = x[i] * cos[at], across = x[first + (second ? a : b)] * sin[at];
    y[i] = second == back ? along - across : along + across;
  }
};

/// Finds the keys that each query of causal attention may attend to: the valid positions up to the
/// query's own position. `row` is the index of a query among the queries of all sentences; the
/// query's position in its sentence is row mod seq_len. Writes flags [B,T,T] and, for each row, the
/// positions of its keys in ascending order and the number of keys.
struct CausalKeys {
  ConstFlags valid;  ///< [B,T], or absent if all are valid
  std::size_t seq_len;
  device::Span<bool> flags;
  device::Span<std::size_t> places, counts;
  NORMPROOF_DEVICE void operator()(std::size_t row) const {
    const std::size_t i = row % seq_len, sentence = row - i, first = row * seq_len;
    std::size_t count = 0;
    for (std::size_t j = 0; j < seq_len; ++j) {
      const bool sees = j <= i && (!valid.given() || valid[sentence + j]);
      flags[first + j] = sees;
      if (sees) places[first + count++] = j;
    }
    counts[row] = count;
  }
};

/// Multiplies the first `width` elements of each row by `factor`. A row has `stride` elements.
struct ScaleColumns {
  double factor;
  std::size_t width, stride;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    y[i / width * stride + i % width] *= factor;
  }
};

/// Draws a dropout mask. keep_i is true if the uniform random number of element i is at least the
/// dropout rate (docs/specification/determinism.md, R6).
struct DropoutMask {
  ref::numeric::PhiloxStream stream;
  std::uint64_t least;  ///< an element is kept if its upper random bits are >= this
  device::Span<bool> keep;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    keep[i] = ref::numeric::upper_bits<ref::numeric::Int>(stream, i) >= least;
  }
};

/// Applies a dropout mask: y = x scale for kept elements, else +0.
struct Dropout {
  ConstReals x;
  ConstFlags keep;
  double scale;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    y[i] = ref::numeric::keep_or_zero(keep[i], x[i] * scale);
  }
};

/// Looks up embeddings: row i of y is row ids_i of the weight.
struct GatherRows {
  ConstReals weight;
  ConstIndices ids;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    y[i] = weight[ids[i / width] * width + i % width];
  }
};

/// The backward of GatherRows. Row r of `sum` is the sum of the rows of grad_y that `order` lists
/// from begins_r to begins_{r+1} - 1. They are added in this order, starting from +0
/// (docs/specification/determinism.md, R3).
struct ScatterRows {
  ConstReals grad_y;
  ConstIndices order, begins;
  std::size_t width;
  Reals sum;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t row = i / width;
    double total = 0;
    for (std::size_t k = begins[row]; k < begins[row + 1]; ++k)
      total += grad_y[order[k] * width + i % width];
    sum[i] = total;
  }
};

/// Adds a gradient stored by rows to a full gradient. The row indices are distinct.
struct AddRows {
  ConstReals values;
  ConstIndices rows;
  std::size_t width;
  Reals whole;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    whole[rows[i / width] * width + i % width] += values[i];
  }
};

}  // namespace normproof::gpu::nn
