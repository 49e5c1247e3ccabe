#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace normproof::verification::checks::agreement {

/// The order in which something adds: a leaf is the number of a term, a node adds its children, in
/// one rounding where there are more than two.
struct SummationTree {
  std::size_t leaf = 0;
  std::vector<SummationTree> children = {};  ///< by their smallest leaves; empty of a leaf

  bool operator==(const SummationTree&) const = default;
};

/// Adds the terms given, all in one implementation's own order.
using Summation = std::function<double(const std::vector<double>&)>;

/// Source    [XGWX24]: the terms i and j are M and -M, all others 1. What is added to M before -M
///           comes is lost, so the result is the number of terms outside the smallest subtree that
///           holds both
/// Computes  the tree of a summation of `count` terms. Of a term in the middle of a subtree all
///           partners are asked, which cuts the others in smaller ones: about 2 count sums for a
///           chain, count log2(count) for a balanced tree
/// Requires  an order that the values do not change, every term taken as it
///           is; (C1) 1 <= count < 2^50
/// Throws    std::runtime_error where the answers are those of no tree, and where it has asked for
///           `most_sums` and is not done
SummationTree reveal_order(const Summation& sum, std::size_t count,
                           std::size_t most_sums = std::numeric_limits<std::size_t>::max());

/// The orders of docs/specification/determinism.md: R1 in chains of 256, R2 in 32 lanes.
SummationTree order_of_products(std::size_t count);
SummationTree order_of_lanes(std::size_t count);

/// "[0..255] [256..511]" says ((first + second) + ...): a list is added from left to right,
/// "0..255" is 0, 1, 2, ... and "0,32..96" is 0, 32, 64, 96; {..} adds all at once.
std::string to_string(const SummationTree& tree);

}  // namespace normproof::verification::checks::agreement
