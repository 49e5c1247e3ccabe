#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// One product to ask of a library: c = a b, or c + a b.
struct ProductSample {
  std::string name;
  ref::tensor::Tensor<double> a, b, c;
  bool a_transposed, b_transposed, add;
};

/// Products of many extents: operands transposed, batched and repeated, added to an old total or
/// not. Exact ones are of integers times a power of two a row of a and a column of b, and of powers
/// of two, none of them subnormal and so small that every partial sum is a number of the formats in
/// any order. Else: normal numbers over 12 binary orders, of one sign, graded along the sum, and
/// sums that cancel. A function of the seed.
std::vector<ProductSample> product_samples(std::uint64_t seed, const ProductArithmetic& arithmetic,
                                           golden::corpus::Tier tier, bool exact);

/// Normal numbers over 12 binary orders, which every format holds.
ref::tensor::Tensor<double> moderate_tensor(std::uint64_t seed, const std::string& name,
                                            const ref::tensor::Shape& shape);

}  // namespace normproof::verification::checks::agreement
