#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/products.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::gpu::ops {

/// The format of the operands of a library product. Sums and results are double for float64, else
/// float32.
using Precision = ref::numeric::FloatType;
/// Returns   the name in the table of number formats, but "double" for float64
std::string_view precision_name(Precision precision);
std::vector<std::string> precision_names();
/// Throws    UsageError that suggests the nearest known name
Precision parse_precision(std::string_view name);

/// How the simulated device computes sums.
struct SimulatedSums {
  ref::numeric::FloatFormat format;
  /// If true, several terms are added at once and the sum is truncated toward 0, as tensor cores
  /// do. Otherwise sums are rounded to nearest.
  bool truncates;
  /// The minimum magnitude that a nonzero operand counts as when terms are aligned.
  double least_operand = 0;
};
SimulatedSums simulated_sums(Precision precision);

/// Products of a library, in the library's own order. On a GPU the library is cuBLAS. On the
/// simulated device it adds in an order drawn from the device's seed, a different one for each
/// product: in a tree, split over k, or along a permutation.
/// Computes  for float64 c = a b or c + a b; for other formats each operand is rounded once to the
///           format, to nearest, the library computes their product p with sums in float32, and c =
///           p or c + p is rounded once to double
/// Error     docs/error_analysis.md, section 9
/// Requires  in float64 strides that cuBLAS accepts: the row stride or the column stride of
///           each operand is 1
/// Throws    DeviceError
class LibraryProducts final : public Products {
 public:
  explicit LibraryProducts(Precision precision)
      : LibraryProducts(precision, simulated_sums(precision)) {}
  /// Products whose sums on the simulated device differ from those of the precision.
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
