#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// A product to be computed by a library: c = a b, or c + a b.
struct ProductSample {
  std::string name;
  ref::tensor::Tensor<double> a, b, c;
  bool a_transposed, b_transposed, add;
};

/// Returns products of many extents as a function of the seed. Operands may be transposed, batched
/// and repeated, and the product may be added to an old total. Exact samples are products of
/// integers, scaled by a power of two per row of a and column of b, or of powers of two. None of
/// them is subnormal, and they are so small that every partial sum is representable in any order.
/// Other samples have normal numbers over 12 binary orders of magnitude: of one sign, graded along
/// the sum, or with sums that cancel.
std::vector<ProductSample> product_samples(std::uint64_t seed, const ProductArithmetic& arithmetic,
                                           golden::corpus::Tier tier, bool exact);

/// Returns normal numbers over 12 binary orders of magnitude, which every format can represent.
ref::tensor::Tensor<double> moderate_tensor(std::uint64_t seed, const std::string& name,
                                            const ref::tensor::Shape& shape);

}  // namespace normproof::verification::checks::agreement
