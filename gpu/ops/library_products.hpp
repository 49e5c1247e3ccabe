#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/products.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::gpu::ops {

/// What a library multiplies in, by the format of the operands. Sums and results are double for
/// float64, else float32.
using Precision = ref::numeric::FloatType;
/// The name in the table of number formats, but "double" for float64.
std::string_view precision_name(Precision precision);
std::vector<std::string> precision_names();
/// Throws    UsageError with the nearest known name
Precision precision_of(std::string_view name);

/// How sums are kept on the simulated device.
struct SimulatedSums {
  ref::numeric::FloatFormat format;
  /// Toward 0, and several terms are added at once, as tensor cores do it; else to nearest.
  bool truncates;
  /// An operand counts as at least this where terms are aligned, unless it is 0.
  double least_operand = 0;
};
SimulatedSums simulated_sums(Precision precision);

/// The products of a library in an order of its own: of cuBLAS on a GPU; on the simulated device a
/// library that adds in an order drawn from the device's seed, another one at each product, in a
/// tree, split over k, or along a permutation.
/// Computes  float64: c = a b or c + a b. Else: each operand rounded once to its format, to
///           nearest; their product p by the library, with sums in float32; then c = p or c + p,
///           rounded once to double
/// Error     docs/error_analysis.md, section 9
/// Requires  in float64 strides that cuBLAS takes: of rows or of columns 1 in each operand
/// Throws    DeviceError
class LibraryProducts final : public Products {
 public:
  explicit LibraryProducts(Precision precision)
      : LibraryProducts(precision, simulated_sums(precision)) {}
  /// A library that keeps other sums on the simulated device than those of the precision.
  LibraryProducts(Precision precision, const SimulatedSums& sums)
      : precision_(precision), sums_(sums) {}

  Precision precision() const { return precision_; }
  void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                const Matrices<const double>& b, bool add) const override;

 private:
  Precision precision_;
  SimulatedSums sums_;
};

}  // namespace normproof::gpu::ops
