#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace normproof::verification::checks::agreement {

/// The order of a summation, as a tree. A leaf is the index of a term. A node adds its children; if
/// it has more than two, it adds them with a single rounding.
struct SummationTree {
  std::size_t leaf = 0;
  std::vector<SummationTree> children = {};  ///< sorted by their smallest leaves; empty for a leaf

  bool operator==(const SummationTree&) const = default;
};

/// A function that adds the given terms, always in the same order.
using Summation = std::function<double(const std::vector<double>&)>;

/// Determines the order of a summation by calling it with special terms.
/// Source    [XGWX24]: the term i is M, the term j is -M, and all other terms are 1. M is so large
///           that a 1 is lost if it is added to M before -M is added. The result is therefore the
///           number of terms outside the smallest subtree that contains i and j
/// Computes  the tree of a summation of `count` terms. It pairs a term in the middle of a subtree
///           with all other terms of the subtree, which splits them into smaller subtrees. This
///           takes about `2 count` sums for a chain and `count log2(count)` sums for a balanced
///           tree
/// Requires  the order does not depend on the values, and terms are not rounded before they are
///           added; (C1) 1 <= count < 2^50
/// Throws    std::runtime_error if no tree explains the results, or if `most_sums` sums are not
///           enough
SummationTree reveal_order(const Summation& sum, std::size_t count,
                           std::size_t most_sums = std::numeric_limits<std::size_t>::max());

/// Return the orders that docs/specification/determinism.md prescribes: chains of 256 terms for
/// products (rule R1), and 32 lanes for sums (rule R2).
SummationTree order_of_products(std::size_t count);
SummationTree order_of_lanes(std::size_t count);

/// Returns the order as text. In "[0..255] [256..511]", each pair of brackets is a list; the sums
/// of the lists are added from left to right. Within a list, terms are added from left to right:
/// "0..255" is 0, 1, 2, ... and "0,32..96" is 0, 32, 64, 96. The terms within {..} are all added at
/// once.
std::string to_string(const SummationTree& tree);

}  // namespace normproof::verification::checks::agreement
