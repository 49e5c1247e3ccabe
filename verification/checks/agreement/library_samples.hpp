#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// A product that a library shall compute: `c = a b`, or `c + a b`.
struct ProductSample {
  std::string name;
  ref::tensor::Tensor<double> a, b, c;
  bool a_transposed, b_transposed, add;
};

/// Returns sample products of many extents, drawn from the seed. Operands may be transposed,
/// batched and repeated, and the product may be added to an old `c`. If `exact` is true, the
/// operands are integers or powers of two. In this case, each row of `a` and each column of `b` is
/// scaled by a power of two. The operands are then not subnormal, and so small that every partial
/// sum is representable in any order. If `exact` is false, the operands are normal numbers over 12
/// binary orders of magnitude: all positive, or with magnitudes that change gradually along the
/// sum, or with sums that cancel.
std::vector<ProductSample> product_samples(std::uint64_t seed, const ProductArithmetic& arithmetic,
                                           golden::corpus::Tier tier, bool exact);

/// Returns random normal numbers over 12 binary orders of magnitude, small enough for every format.
ref::tensor::Tensor<double> make_moderate_tensor(std::uint64_t seed, const std::string& name,
                                                 const ref::tensor::Shape& shape);

}  // namespace normproof::verification::checks::agreement
