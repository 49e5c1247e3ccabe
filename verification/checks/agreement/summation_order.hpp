#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace normproof::verification::checks::agreement {

/// The order of a summation. A leaf is the number of a term. A node adds its children, with a
/// single rounding if there are more than two.
struct SummationTree {
  std::size_t leaf = 0;
  std::vector<SummationTree> children = {};  ///< sorted by their smallest leaves; empty for a leaf

  bool operator==(const SummationTree&) const = default;
};

/// Adds the given terms, always in the same order.
using Summation = std::function<double(const std::vector<double>&)>;

/// Determines the order of a summation.
/// Source    [XGWX24]: the terms i and j are M and -M, and all others are 1. Terms that are added
///           to M before -M are lost, so the result is the number of terms outside the smallest
///           subtree that contains both
/// Computes  the tree of a summation of `count` terms. A term in the middle of a subtree is paired
///           with all others of the subtree, which splits the others into smaller subtrees. This
///           takes about 2 count sums for a chain, count log2(count) for a balanced tree
/// Requires  an order that does not depend on the values, and terms that are not changed before the
///           sum; (C1) 1 <= count < 2^50
/// Throws    std::runtime_error if no tree explains the results, or if `most_sums` sums do not
///           suffice
SummationTree reveal_order(const Summation& sum, std::size_t count,
                           std::size_t most_sums = std::numeric_limits<std::size_t>::max());

/// Returns the orders of docs/specification/determinism.md: R1 in chains of 256, R2 in 32 lanes.
SummationTree order_of_products(std::size_t count);
SummationTree order_of_lanes(std::size_t count);

/// Returns the order as text: "[0..255] [256..511]" means ((first + second) + ...). A list is added
/// from left to right, "0..255" is 0, 1, 2, ... and "0,32..96" is 0, 32, 64, 96. {..} adds all
/// terms at once.
std::string to_string(const SummationTree& tree);

}  // namespace normproof::verification::checks::agreement
