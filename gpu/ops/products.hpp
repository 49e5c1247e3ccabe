#pragma once

#include "gpu/device/device.hpp"
#include "gpu/ops/matrices.hpp"

namespace normproof::gpu::ops {

using device::Device;

/// Multiplies matrices for the layers.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  virtual ~Products() = default;

  /// Multiplies each matrix of the batch.
  /// Computes  c = a b; with `add` c + a b
  /// Requires  (C1) extents agree and none is 0; all three have the batch of c, where a stride of 0
  ///           repeats an operand
  /// Throws    DeviceError
  virtual void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                        const Matrices<const double>& b, bool add) const = 0;
  /// Runs the device tests that multiply() depends on, once per device. They cannot run while work
  /// is recorded; without them multiply() is slower but gives the same bits.
  virtual void prepare(Device&) const {}
  /// Whether the host reads operands or results, so that products cannot be recorded
  /// (device/recording.hpp).
  virtual bool shows_values() const { return false; }
};

/// Returns the products of this project's kernel, in the order of
/// docs/specification/determinism.md, R1, with the bits of ref. If the device's tensor cores
/// multiply as chains of fma, the kernel uses them; one product with both kernels tests that on a
/// GPU.
const Products& ordered_products();

}  // namespace normproof::gpu::ops
