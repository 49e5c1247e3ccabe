#pragma once

#include "gpu/norm/float32_affine.hpp"
#include "gpu/norm/tiled_row.hpp"

namespace normproof::gpu::norm {

/// The forward of one row of layer_norm, or of rms_norm if not centered: y = gamma x_hat + beta. It
/// is a "direction" as float32_row_kernels.hpp defines it. ScalarOf, float or double, is the type
/// of the arithmetic. If there is a residual, x + residual is stored first, and the statistics are
/// computed from the stored sum.
template <class FormatOf, class ScalarOf, bool centred>
struct Float32ForwardRow {
  using Format = FormatOf;
  using Scalar = ScalarOf;
  using Element = typename Format::Element;
  static constexpr int kNumTensors = 1;
  static constexpr int kNumPasses = centred ? 2 : 1;
  static constexpr int kNumSums = 1;

  Span<const Element> x, residual;
  FloatAffine<Scalar> affine;
  Scalar eps;
  std::size_t width;
  Span<Element> sum, y;  ///< sum only if there is a residual
  Span<Scalar> mean, rstd;

  template <class Row, class Tile>
  NORMPROOF_DEVICE void load(int t, int thread, bool again, const Row& row, Tile& tile) const {
    const bool adds = residual.given() && !again;
    Span<const Element> from_memory = x;
    if (residual.given() && again) {
      from_memory.data = sum.data;
      from_memory.size = sum.size;
    }
    row.for_each_slot(
        t, thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
          typename Row::Slot own = row.load(from_memory, place, from, to);
          if (adds) {
            const typename Row::Slot other = row.load(residual, place, from, to);
            for (std::size_t j = 0; j < kSize; ++j)
              own.element[j] = Format::narrow(number(own.element[j]) + number(other.element[j]));
            row.store(sum, place, from, to, own);
          }
          tile[0][slot] = own;
        });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void add(std::size_t, int t, int lane, int pass, const Row& row,
                            const Tile& tile, const Total& total, Scalar (&sums)[kNumSums]) const {
    if (centred && pass == 0)
      return row.for_each_feature_of_lane(t, lane, [&](std::size_t p, std::size_t) {
        sums[0] += number(tile[0][p / kSize].element[p % kSize]);
      });
    const Scalar own_mean = compute_mean(total);
    row.for_each_feature_of_lane(t, lane, [&](std::size_t p, std::size_t) {
      const Scalar d = subtract_mean(number(tile[0][p / kSize].element[p % kSize]), own_mean);
      sums[0] += d * d;
    });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void write(std::size_t i, int t, int thread, const Row& row, const Tile& tile,
                              const Total& total) const {
    const Scalar own_mean = compute_mean(total);
    const Scalar own_rstd =
        Scalar(1) / square_root(total(kNumPasses - 1) / static_cast<Scalar>(width) + eps);
    if (t == 0 && thread == 0) {
      if (centred) mean[i] = own_mean;
      rstd[i] = own_rstd;
    }
    row.for_each_slot(
        t, thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
          typename Row::Slot out;
          for (std::size_t j = 0; j < kSize; ++j) {
            if (j < from || j >= to) continue;
            const Scalar x_hat =
                subtract_mean(number(tile[0][slot].element[j]), own_mean) * own_rstd;
            const std::size_t d = place + j - row.head;
            out.element[j] = Format::narrow(affine.gamma_at(d) * x_hat + affine.beta_at(d));
          }
          row.store(y, place, from, to, out);
        });
  }

 private:
  static constexpr std::size_t kSize = Vector<Element>::kSize;

  NORMPROOF_DEVICE static float square_root(float v) { return __builtin_sqrtf(v); }
  NORMPROOF_DEVICE static double square_root(double v) { return __builtin_sqrt(v); }
  NORMPROOF_DEVICE static Scalar number(Element e) { return static_cast<Scalar>(Format::widen(e)); }
  template <class Total>
  NORMPROOF_DEVICE Scalar compute_mean(const Total& total) const {
    return centred ? total(0) / static_cast<Scalar>(width) : Scalar(0);
  }
  NORMPROOF_DEVICE static Scalar subtract_mean(Scalar v, Scalar own_mean) {
    return centred ? v - own_mean : v;
  }
};

}  // namespace normproof::gpu::norm
