#pragma once

#include <functional>
#include <vector>

#include "gpu/ops/products.hpp"

namespace normproof::verification::checks::agreement {

/// Matrices of a device as they were, on the host.
struct SeenMatrices {
  std::vector<double> values;
  gpu::ops::Matrices<const double> layout;  ///< of `values`, not of memory

  double at(std::size_t batch, std::size_t row, std::size_t column) const {
    return values[layout.offset(batch) + row * layout.row_stride + column * layout.column_stride];
  }
};

/// One product that a layer asked for: c = a b, or c = before + a b.
struct SeenProduct {
  SeenMatrices a, b;
  SeenMatrices before;  ///< empty of a product that is not added
  SeenMatrices c;
};

/// Products made by another; each is shown to `see` with its operands and what came of it.
class TappedProducts final : public gpu::ops::Products {
 public:
  using See = std::function<void(const SeenProduct&)>;
  /// `products` has to stay.
  TappedProducts(const gpu::ops::Products& products, See see)
      : products_(products), see_(std::move(see)) {}

  void multiply(gpu::device::Device& device, const gpu::ops::Matrices<double>& c,
                const gpu::ops::Matrices<const double>& a,
                const gpu::ops::Matrices<const double>& b, bool add) const override;
  bool shows_values() const override { return true; }

 private:
  const gpu::ops::Products& products_;
  See see_;
};

}  // namespace normproof::verification::checks::agreement
