#pragma once

#include <vector>

#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/certify/row_blocks.hpp"

namespace normproof::verification::golden::certify {

/// The outputs of a case that are sums over its rows.
struct EnclosedSums {
  /// The tensors `<name>` and `<name>_lo` of each sum, as in Expected. Their sum is the `double`
  /// result, so the remainder has its rounding error.
  std::vector<StoredTensor> tensors;
  ref::tensor::NamedTensors<double> radius;  ///< the largest distance from the exact sum
};

/// Encloses the outputs that are sums over the rows, in `double` with running error bounds. This is
/// faster than certify_in_blocks.
///
/// Computes  the sums of each block by the operation itself, and their sum in the order of the
///           blocks. `threads` blocks are computed at a time; their number changes no bit
/// Requires  a case with independent rows
/// Throws    ContractError, and the exceptions of `progress`
EnclosedSums enclose_sums_over_rows(const Case& c, const RowBlocks& blocks, int threads,
                                    const Progress& progress = {});

}  // namespace normproof::verification::golden::certify
