#include "verification/checks/agreement/summation_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::agreement {
namespace {

constexpr std::size_t kMaxTerms = std::size_t{1} << 50;
constexpr double kHuge = 0x1p200;  // 2^50 ones do not reach its last bit

SummationTree make_node(std::vector<SummationTree> children) {
  if (children.size() == 1) return std::move(children.front());
  return {children.front().leaf, std::move(children)};
}

/// Returns the tree that adds the parts from left to right: ((first + second) + third) + ...
SummationTree make_left_to_right_tree(std::vector<SummationTree> parts) {
  SummationTree sum = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i)
    sum = make_node({std::move(sum), std::move(parts[i])});
  return sum;
}

SummationTree chain(std::size_t first, std::size_t end, std::size_t stride) {
  std::vector<SummationTree> leaves;
  leaves.reserve((end - first) / stride + 1);
  for (std::size_t i = first; i < end; i += stride) leaves.push_back({i});
  return make_left_to_right_tree(std::move(leaves));
}

class Probe {
 public:
  Probe(const Summation& sum, std::size_t count, std::size_t most_sums)
      : sum_(sum), terms_(count, 1.0), sums_left_(most_sums) {}

  /// Returns the subtrees that the given leaves form below a node of `node_size` terms. The leaves
  /// are in ascending order. If node_size exceeds the number of all terms, the result is a single
  /// tree of all leaves.
  std::vector<SummationTree> form_subtrees(std::vector<std::size_t> leaves, std::size_t node_size) {
    std::vector<SummationTree> parts;
    while (!leaves.empty()) {
      const std::size_t pivot = leaves[leaves.size() / 2];
      std::vector<std::size_t> rest;
      std::map<std::size_t, std::vector<std::size_t>> by_size;
      for (const std::size_t leaf : leaves) {
        if (leaf == pivot) continue;
        const std::size_t size = smallest_common_subtree(pivot, leaf);
        (size < node_size ? by_size[size] : rest).push_back(leaf);
      }
      parts.push_back(build_tree_around_leaf(pivot, std::move(by_size)));
      leaves = std::move(rest);
    }
    return parts;
  }

 private:
  /// Returns the number of terms in the smallest subtree that contains the terms i and j.
  std::size_t smallest_common_subtree(std::size_t i, std::size_t j) {
    if (sums_left_-- == 0)
      throw std::runtime_error(
          fmt::format("the order of {} terms is not found by the sums allowed; expected one that "
                      "fewer reveal, or fewer terms",
                      terms_.size()));
    terms_[i] = kHuge;
    terms_[j] = -kHuge;
    const double outside = sum_(terms_);
    terms_[i] = terms_[j] = 1;
    const auto most = static_cast<double>(terms_.size()) - 2;
    if (!(outside >= 0 && outside <= most && outside == std::floor(outside)))
      throw std::runtime_error(
          fmt::format("terms {} and {} of {} leave {}; expected the number of those added later", i,
                      j, terms_.size(), outside));
    return terms_.size() - static_cast<std::size_t>(outside);
  }

  /// Builds the tree from the leaf `pivot` upwards. by_size has an entry for each node above the
  /// leaf: the key is the node's number of terms, the value is the list of terms that the node adds
  /// to the node below it.
  SummationTree build_tree_around_leaf(std::size_t pivot,
                                       std::map<std::size_t, std::vector<std::size_t>>&& by_size) {
    SummationTree tree{pivot};
    std::size_t size = 1;
    for (auto& [expected, others] : by_size) {
      size += others.size();
      if (size != expected)
        throw std::runtime_error(
            fmt::format("{} terms come together with term {} where its answers say {}; expected an "
                        "order that does not depend on the values",
                        size, pivot, expected));
      std::vector<SummationTree> children = form_subtrees(std::move(others), expected);
      children.push_back(std::move(tree));
      std::ranges::sort(children, {}, &SummationTree::leaf);
      tree = make_node(std::move(children));
    }
    return tree;
  }

  const Summation& sum_;
  std::vector<double> terms_;
  std::size_t sums_left_;
};

std::string format_range(std::span<const std::size_t> leaves) {
  if (leaves.size() == 1) return std::to_string(leaves[0]);
  const std::size_t step = leaves[1] - leaves[0];
  if (leaves.size() == 2) return fmt::format("{} {}", leaves[0], leaves[1]);
  return step == 1 ? fmt::format("{}..{}", leaves.front(), leaves.back())
                   : fmt::format("{},{}..{}", leaves[0], leaves[1], leaves.back());
}

/// Returns the length of the longest run of parts, beginning at part `begin`, that are leaves whose
/// indices form an arithmetic progression.
std::size_t count_progression_leaves(const std::vector<const SummationTree*>& parts,
                                     std::size_t begin) {
  std::size_t end = begin;
  while (end < parts.size() && parts[end]->children.empty() &&
         (end < begin + 2 ||
          parts[end]->leaf - parts[end - 1]->leaf == parts[begin + 1]->leaf - parts[begin]->leaf))
    ++end;
  return end - begin;
}

std::string join_parts(const std::vector<const SummationTree*>& parts) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.size();) {
    const std::size_t run = count_progression_leaves(parts, i);
    if (run == 0) {
      texts.push_back(to_string(*parts[i++]));
      continue;
    }
    std::vector<std::size_t> leaves;
    leaves.reserve(run);
    for (std::size_t k = 0; k < run; ++k) leaves.push_back(parts[i + k]->leaf);
    texts.push_back(format_range(leaves));
    i += run;
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace

SummationTree reveal_order(const Summation& sum, std::size_t count, std::size_t most_sums) {
  if (count < 1 || count >= kMaxTerms)
    ref::numeric::contract_failure("reveal_order", "count", fmt::format("is {}", count),
                                   "1 to 2^50 - 1", ref::numeric::Clause::C1);
  Probe probe(sum, count, most_sums);
  std::vector<std::size_t> leaves(count);
  for (std::size_t i = 0; i < count; ++i) leaves[i] = i;
  return std::move(probe.form_subtrees(std::move(leaves), count + 1).front());
}

SummationTree order_of_products(std::size_t count) {
  constexpr std::size_t kTermsPerBlock = 256;
  std::vector<SummationTree> blocks;
  blocks.reserve(count / kTermsPerBlock + 1);
  for (std::size_t begin = 0; begin < count; begin += kTermsPerBlock)
    blocks.push_back(chain(begin, std::min(count, begin + kTermsPerBlock), 1));
  return make_left_to_right_tree(std::move(blocks));
}

SummationTree order_of_lanes(std::size_t count) {
  constexpr std::size_t kLanes = 32;
  std::vector<SummationTree> lanes;
  lanes.reserve(kLanes);
  for (std::size_t l = 0; l < std::min(count, kLanes); ++l)
    lanes.push_back(chain(l, count, kLanes));
  for (std::size_t stride = kLanes / 2; stride > 0; stride /= 2) {
    for (std::size_t l = 0; l < stride && l + stride < lanes.size(); ++l)
      lanes[l] = make_node({std::move(lanes[l]), std::move(lanes[l + stride])});
    if (lanes.size() > stride) lanes.resize(stride);
  }
  return std::move(lanes.front());
}

std::string to_string(const SummationTree& tree) {
  if (tree.children.empty()) return std::to_string(tree.leaf);
  if (tree.children.size() > 2) {
    std::vector<const SummationTree*> parts;
    parts.reserve(tree.children.size());
    for (const SummationTree& child : tree.children) parts.push_back(&child);
    return fmt::format("{{{}}}", join_parts(parts));
  }
  // A chain of additions from left to right is written as one list.
  std::vector<const SummationTree*> parts;
  const SummationTree* at = &tree;
  for (; at->children.size() == 2; at = &at->children[0]) parts.push_back(&at->children[1]);
  parts.push_back(at);
  std::ranges::reverse(parts);
  return fmt::format("[{}]", join_parts(parts));
}

}  // namespace normproof::verification::checks::agreement
