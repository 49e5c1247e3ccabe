#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/products.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::gpu::ops {

/// The number format of the operands of a library product. For float64, sums and results are
/// double; for every other format they are float32.
using Precision = ref::numeric::FloatType;
/// Returns   the name of the format in the table of number formats; "double" for float64
std::string_view precision_name(Precision precision);
std::vector<std::string> precision_names();
/// Returns the format of this name, which may be a short one such as "bf16".
/// Throws    UsageError that suggests the nearest known name
Precision parse_precision(std::string_view name);

/// How the simulated device rounds and adds in a product.
struct SimulatedSums {
  ref::numeric::FloatFormat format;
  /// If true, several terms are added at once and the sum is truncated toward 0, as tensor cores
  /// do. If false, each addition is rounded to nearest.
  bool truncates;
  /// The minimum magnitude of a nonzero operand when terms are aligned. A smaller operand is
  /// aligned as if it had this magnitude.
  double min_aligned_magnitude = 0;
};
SimulatedSums simulated_sums(Precision precision);

/// Matrix products of a library, which adds terms in its own order. On a GPU the library is cuBLAS.
/// The simulated device draws an order from its seed, a different order for each product: a tree,
/// parts that are added at the end, or one chain over a permutation.
/// Computes  c = a b or c = c + a b. If the format is not float64, each operand is rounded once to
///           the format, to nearest; the library computes the product p with sums in float32; then
///           c = p or c = c + p is rounded once to double
/// Error     docs/error_analysis.md, section 9
/// Requires  if the format is float64, strides that cuBLAS accepts: each operand has a row stride
///           or a column stride of 1
/// Throws    DeviceError
class LibraryProducts final : public Products {
 public:
  explicit LibraryProducts(Precision precision)
      : LibraryProducts(precision, simulated_sums(precision)) {}
  /// On the simulated device, `sums` determines how sums are computed, instead of the default for
  /// the precision. On a GPU `sums` has no effect.
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
