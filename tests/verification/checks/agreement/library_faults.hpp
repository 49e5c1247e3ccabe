#pragma once

#include <functional>
#include <vector>

#include "gpu/device/tensor.hpp"
#include "gpu/ops/library_products.hpp"

/// Matrix product libraries, each with one injected fault.
namespace normproof::verification::checks::agreement {

/// A product library that first changes the operand `a` by calling `change` on its elements, and
/// then calls another library.
class ProductsWithChangedOperand final : public gpu::ops::Products {
 public:
  using Change = std::function<void(const gpu::ops::Matrices<const double>& layout,
                                    std::vector<double>& values)>;
  ProductsWithChangedOperand(const gpu::ops::Products& products, Change change)
      : products_(products), change_(std::move(change)) {}

  void multiply(gpu::device::Device& device, const gpu::ops::Matrices<double>& c,
                const gpu::ops::Matrices<const double>& a,
                const gpu::ops::Matrices<const double>& b, bool add) const override {
    std::vector<double> values(a.data.size);
    device.download(values.data(), a.data.data, values.size() * sizeof(double));
    change_(a, values);
    const auto changed = gpu::device::upload(device, values.data(), {values.size()});
    gpu::ops::Matrices<const double> own = a;
    own.data = changed.span();
    products_.multiply(device, c, own, b, add);
  }

 private:
  const gpu::ops::Products& products_;
  Change change_;
};

/// Zeroes the last column of the operand `a`, so that every sum loses its last term.
inline void drop_last_term(const gpu::ops::Matrices<const double>& a, std::vector<double>& values) {
  for (std::size_t p = 0; p < a.batches(); ++p)
    for (std::size_t i = 0; i < a.rows; ++i)
      values[a.offset(p) + i * a.row_stride + (a.columns - 1) * a.column_stride] = 0;
}

/// Returns a change that rounds every element to `format`.
inline ProductsWithChangedOperand::Change make_operand_rounding(ref::numeric::FloatFormat format) {
  return [format](const gpu::ops::Matrices<const double>&, std::vector<double>& values) {
    for (double& v : values) v = round_to(format, v);
  };
}

/// A product library that transposes the operand `a` if it is square, and then calls another
/// library.
class ProductsWithTransposedOperand final : public gpu::ops::Products {
 public:
  explicit ProductsWithTransposedOperand(const gpu::ops::Products& products)
      : products_(products) {}
  void multiply(gpu::device::Device& device, const gpu::ops::Matrices<double>& c,
                const gpu::ops::Matrices<const double>& a,
                const gpu::ops::Matrices<const double>& b, bool add) const override {
    products_.multiply(device, c, a.rows == a.columns ? gpu::ops::transposed(a) : a, b, add);
  }

 private:
  const gpu::ops::Products& products_;
};

}  // namespace normproof::verification::checks::agreement
