#pragma once

#include "gpu/norm/float32_affine.hpp"
#include "gpu/norm/tiled_row.hpp"

namespace normproof::gpu::norm {

/// The sums of one thread over a run of rows. The thread sums the terms of the gradients of gamma
/// and beta for its own features.
template <class Scalar, int groups, std::size_t size>
struct Float32GradientSums {
  Scalar gamma[groups][size];
  Scalar beta[groups][size];

  NORMPROOF_DEVICE void clear() {
    for (int k = 0; k < groups; ++k)
      for (std::size_t j = 0; j < size; ++j) gamma[k][j] = beta[k][j] = 0;
  }
};

/// The backward of one row of layer_norm, or of rms_norm if not centered. One pass computes a =
/// S(g) / D and c = S(g x_hat) / D, where g = gamma grad_y and S is the sum over the row. Then
/// grad_x = ((g - a) - x_hat c) rstd + grad_sum. rms_norm leaves out a; the term grad_sum is left
/// out if it is not given. While a row is in shared memory, its terms for the gradients of gamma
/// (grad_y x_hat) and beta (grad_y) are added to the sums of the run.
template <class FormatOf, class ScalarOf, bool centred>
struct Float32BackwardRow {
  using Format = FormatOf;
  using Scalar = ScalarOf;
  using Element = typename Format::Element;
  static constexpr std::size_t kSize = Vector<Element>::kSize;
  static constexpr int kNumTensors = 2;
  static constexpr int kNumPasses = 1;
  static constexpr int kNumSums = centred ? 2 : 1;

  Span<const Element> grad_y, x, grad_sum;
  FloatAffine<Scalar> affine;
  Span<const Scalar> mean, rstd;
  std::size_t rows, width;
  Span<Element> grad_x;
  Span<Scalar> runs;  ///< [runs, 2, width]: the sums for gamma, then those for beta

  template <class Row>
  using Gradients = Float32GradientSums<Scalar, Row::kSlotsPerThread, kSize>;

  template <class Row, class Tile>
  NORMPROOF_DEVICE void load(int t, int thread, bool, const Row& row, Tile& tile) const {
    row.for_each_slot(t, thread,
                      [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
                        tile[0][slot] = row.load(x, place, from, to);
                        tile[1][slot] = row.load(grad_y, place, from, to);
                      });
  }

  /// Prefetches the data that `load` will load for tile t.
  template <class Row>
  NORMPROOF_DEVICE void prefetch(int t, int thread, const Row& row) const {
    row.for_each_slot(t, thread, [&](int, std::size_t place, std::size_t from, std::size_t to) {
      if (to - from < kSize) return;
      prefetch_vector(x, row.first + place);
      prefetch_vector(grad_y, row.first + place);
    });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void add(std::size_t i, int t, int lane, int, const Row& row, const Tile& tile,
                            const Total&, Scalar (&sums)[kNumSums]) const {
    row.for_each_feature_of_lane(t, lane, [&](std::size_t p, std::size_t d) {
      const Scalar g = affine.gamma_at(d) * number(tile[1][p / kSize].element[p % kSize]);
      if (centred) sums[0] += g;
      sums[kNumSums - 1] += g * x_hat(number(tile[0][p / kSize].element[p % kSize]), i);
    });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void write(std::size_t i, int t, int thread, const Row& row, const Tile& tile,
                              const Total& total, Gradients<Row>& gradients) const {
    const auto n = static_cast<Scalar>(width);
    const Scalar a = centred ? total(0) / n : Scalar(0);
    const Scalar c = total(kNumSums - 1) / n;
    const Scalar own_rstd = rstd[i];
    const bool whole = Row::are_rows_aligned_to_slots(width);
    row.for_each_numbered_slot(
        t, thread, [&](int k, int slot, std::size_t place, std::size_t from, std::size_t to) {
          typename Row::Slot out, other{};
          if (grad_sum.given()) other = row.load(grad_sum, place, from, to);
          for (std::size_t j = 0; j < kSize; ++j) {
            if (j < from || j >= to) continue;
            const Scalar own_grad_y = number(tile[1][slot].element[j]);
            const Scalar own_x_hat = x_hat(number(tile[0][slot].element[j]), i);
            const Scalar g = affine.gamma_at(place + j - row.head) * own_grad_y;
            const Scalar along = own_x_hat * c;
            if (whole) add_to(gradients, k, j, own_grad_y, own_x_hat);
            const Scalar own = (centred ? (g - a) - along : g - along) * own_rstd;
            out.element[j] =
                Format::narrow(grad_sum.given() ? own + number(other.element[j]) : own);
          }
          row.store(grad_x, place, from, to, out);
        });
    if (whole) return;
    row.for_each_feature_group(
        t, thread, [&](int k, std::size_t place, std::size_t, std::size_t count) {
          for (std::size_t j = 0; j < kSize; ++j) {
            if (j >= count) continue;
            const std::size_t p = place + j;
            add_to(gradients, k, j, number(tile[1][p / kSize].element[p % kSize]),
                   x_hat(number(tile[0][p / kSize].element[p % kSize]), i));
          }
        });
  }

  /// Stores the sums of a run for the features of tile t. It is called after the last row of the
  /// run.
  template <class Row>
  NORMPROOF_DEVICE void store(std::size_t run, int t, int thread, const Row& row,
                              const Gradients<Row>& gradients) const {
    row.for_each_feature_group(t, thread,
                               [&](int k, std::size_t, std::size_t d, std::size_t count) {
                                 store_sums(2 * run * width + d, count, gradients.gamma[k]);
                                 store_sums((2 * run + 1) * width + d, count, gradients.beta[k]);
                               });
  }

 private:
  template <class Sums>
  NORMPROOF_DEVICE static void add_to(Sums& gradients, int k, std::size_t j, Scalar own_grad_y,
                                      Scalar own_x_hat) {
    gradients.gamma[k][j] += own_grad_y * own_x_hat;
    gradients.beta[k][j] += own_grad_y;
  }
  NORMPROOF_DEVICE void store_sums(std::size_t at, std::size_t count,
                                   const Scalar (&sums)[kSize]) const {
    if (width % kSize == 0) {
      using Numbers = Vector<Scalar>;
      for (std::size_t j = 0; j < kSize; j += Numbers::kSize) {
        Numbers numbers;
        for (std::size_t m = 0; m < Numbers::kSize; ++m) numbers.element[m] = sums[j + m];
        store_vector(runs, at + j, numbers);
      }
    } else {
      for (std::size_t j = 0; j < kSize; ++j)
        if (j < count) runs[at + j] = sums[j];
    }
  }
  NORMPROOF_DEVICE static Scalar number(Element e) { return static_cast<Scalar>(Format::widen(e)); }
  NORMPROOF_DEVICE Scalar x_hat(Scalar v, std::size_t i) const {
    return centred ? (v - mean[i]) * rstd[i] : v * rstd[i];
  }
};

}  // namespace normproof::gpu::norm
