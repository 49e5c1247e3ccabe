#pragma once

#include <functional>
#include <vector>

#include "gpu/ops/products.hpp"

namespace normproof::verification::checks::agreement {

/// A copy of device matrices in host memory.
struct HostMatrices {
  std::vector<double> values;
  gpu::ops::Matrices<const double> layout;  ///< describes `values`, not device memory

  double at(std::size_t batch, std::size_t row, std::size_t column) const {
    return values[layout.offset(batch) + row * layout.row_stride + column * layout.column_stride];
  }
};

/// A product that a layer has requested: `c = a b`, or `c = before + a b`.
struct ObservedProduct {
  HostMatrices a, b;
  HostMatrices before;  ///< empty if the product is not added to c
  HostMatrices c;
};

/// Lets another object compute the products. Passes the operands and the result of each product to
/// the callback `see`.
class ObservedProducts final : public gpu::ops::Products {
 public:
  using See = std::function<void(const ObservedProduct&)>;
  /// Keeps a reference to `products`, which must outlive this object.
  ObservedProducts(const gpu::ops::Products& products, See see)
      : products_(products), see_(std::move(see)) {}

  void multiply(gpu::device::Device& device, const gpu::ops::Matrices<double>& c,
                const gpu::ops::Matrices<const double>& a,
                const gpu::ops::Matrices<const double>& b, bool add) const override;
  bool needs_host_values() const override { return true; }

 private:
  const gpu::ops::Products& products_;
  See see_;
};

}  // namespace normproof::verification::checks::agreement
