#pragma once

#include "gpu/device/device.hpp"
#include "gpu/ops/matrices.hpp"

namespace normproof::gpu::ops {

using device::Device;

/// Who multiplies matrices for the layers.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  virtual ~Products() = default;

  /// Computes  c = a b, matrix by matrix; with `add` c + a b
  /// Requires  extents that agree, none of them 0, and the batch of c in all three: a stride
  ///           of 0 repeats an operand
  /// Throws    DeviceError
  virtual void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                        const Matrices<const double>& b, bool add) const = 0;
  /// Asks the device, once, what multiply() would like to know of it: while work is recorded no
  /// question can be asked, and multiply() does without the answer, slower, to the same bits.
  virtual void prepare(Device&) const {}
  /// Whether host code sees operands or results on the way, so that nothing around them can be
  /// recorded (device/recording.hpp).
  virtual bool shows_values() const { return false; }
};

/// Our kernel, in the order of docs/determinism.md, R1: the bits of ref. On a device whose tensor
/// cores multiply as chains of fma it is they that multiply: a GPU is asked by a product with both
/// kernels.
const Products& ordered_products();

}  // namespace normproof::gpu::ops
