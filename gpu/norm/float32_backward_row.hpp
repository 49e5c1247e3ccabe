#pragma once

#include "gpu/norm/float32_affine.hpp"
#include "gpu/norm/tiled_row.hpp"

namespace normproof::gpu::norm {

/// The backward beside float32_forward_row.hpp: a = S(g) / D and c = S(g x_hat) / D, g = gamma
/// grad_y, at once; then grad_x = ((g - a) - x_hat c) rstd + grad_sum, without a where the layer
/// does not centre.
template <class FormatOf, class ScalarOf, bool centred>
struct Float32BackwardRow {
  using Format = FormatOf;
  using Scalar = ScalarOf;
  using Element = typename Format::Element;
  static constexpr int kTensors = 2;
  static constexpr int kPasses = 1;
  static constexpr int kSums = centred ? 2 : 1;

  Span<const Element> grad_y, x, grad_sum;
  FloatAffine<Scalar> affine;
  Span<const Scalar> mean, rstd;
  std::size_t first_row;
  std::size_t width;
  Span<Element> grad_x;

  NORMPROOF_DEVICE std::size_t row_of(std::size_t i) const { return first_row + i; }

  template <class Row, class Tile>
  NORMPROOF_DEVICE void load(int t, int thread, bool, const Row& row, Tile& tile) const {
    row.for_slots(t, thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
      tile[0][slot] = row.load(x, place, from, to);
      tile[1][slot] = row.load(grad_y, place, from, to);
    });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void add(std::size_t i, int t, int lane, int, const Row& row, const Tile& tile,
                            const Total&, Scalar (&sums)[kSums]) const {
    row.for_lane(t, lane, [&](std::size_t p, std::size_t d) {
      const Scalar g = affine.gamma_of(d) * number(tile[1][p / kSize].element[p % kSize]);
      if (centred) sums[0] += g;
      sums[kSums - 1] += g * x_hat(number(tile[0][p / kSize].element[p % kSize]), i);
    });
  }

  template <class Row, class Tile, class Total>
  NORMPROOF_DEVICE void write(std::size_t i, int t, int thread, const Row& row, const Tile& tile,
                              const Total& total) const {
    const auto count = static_cast<Scalar>(width);
    const Scalar a = centred ? total(0) / count : Scalar(0);
    const Scalar c = total(kSums - 1) / count;
    const Scalar own_rstd = rstd[i];
    row.for_slots(t, thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
      typename Row::Slot out, other{};
      if (grad_sum.given()) other = row.load(grad_sum, place, from, to);
      for (std::size_t j = 0; j < kSize; ++j) {
        if (j < from || j >= to) continue;
        const Scalar g = affine.gamma_of(place + j - row.head) * number(tile[1][slot].element[j]);
        const Scalar along = x_hat(number(tile[0][slot].element[j]), i) * c;
        const Scalar own = (centred ? (g - a) - along : g - along) * own_rstd;
        out.element[j] = Format::narrow(grad_sum.given() ? own + number(other.element[j]) : own);
      }
      row.store(grad_x, place, from, to, out);
    });
  }

 private:
  static constexpr std::size_t kSize = Vector<Element>::kSize;

  NORMPROOF_DEVICE static Scalar number(Element e) { return static_cast<Scalar>(Format::widen(e)); }
  NORMPROOF_DEVICE Scalar x_hat(Scalar v, std::size_t i) const {
    return centred ? (v - mean[i]) * rstd[i] : v * rstd[i];
  }
};

}  // namespace normproof::gpu::norm
