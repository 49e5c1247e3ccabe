#pragma once

#include "gpu/device/device.hpp"
#include "gpu/ops/matrices.hpp"

namespace normproof::gpu::ops {

using device::Device;

/// A method of computing the layers' matrix products.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  virtual ~Products() = default;

  /// Multiplies each matrix of the batch.
  /// Computes  c = a b, or c = c + a b if `add` is true
  /// Requires  the extents agree and none is 0; a and b have the batch extents of c. An operand may
  ///           repeat one matrix with a batch stride of 0
  /// Throws    DeviceError
  virtual void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                        const Matrices<const double>& b, bool add) const = 0;
  /// Runs the device tests that multiply() depends on, once per device. They cannot run while work
  /// is recorded. Without them multiply() is slower but gives the same bits.
  virtual void prepare(Device&) const {}
  /// Whether multiply() needs the values of operands or results on the host. If true, products
  /// cannot be recorded (device/recording.hpp).
  virtual bool needs_host_values() const { return false; }
};

/// Returns the products of this project's own kernel, which adds in the order of
/// docs/specification/determinism.md, R1, and has the bits of ref. If the device's tensor cores
/// multiply as chains of fma, the kernel uses them. On a GPU, a test decides this: it computes the
/// same products with tensor cores and with fma instructions and compares the bits.
const Products& ordered_products();

}  // namespace normproof::gpu::ops
