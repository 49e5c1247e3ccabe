#include "ref/numeric/error_tape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ref/numeric/operation_error.hpp"

namespace normproof::ref::numeric {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
thread_local ErrorTape* current_tape = nullptr;

/// A factor that covers the rounding errors in the computation of the bounds themselves.
constexpr double kSlackOfTape = 1 + 0x1p-45;

}  // namespace

SlopeRange slope_between(double lower, double upper) {
  const double center = lower / 2 + upper / 2;
  // The subtraction and the halves are rounded.
  return {center, (upper - center) * (1 + 0x1p-40) + std::fabs(center) * 0x1p-50};
}

ErrorTape::ErrorTape(std::size_t max_nodes, std::size_t max_visits)
    : max_nodes_(std::min<std::size_t>(max_nodes, kNone - 1)),
      visits_left_(max_visits),
      previous_(current_tape),
      first_identity_(any_order_error::next_identity()) {
  current_tape = this;
}

ErrorTape::~ErrorTape() {
  current_tape = previous_;
}

ErrorTape* ErrorTape::current() {
  return current_tape;
}

std::uint32_t ErrorTape::add_node(double rounding, double error, bool is_sum, double magnitude) {
  constexpr std::size_t kEdgesPerNode = 8;
  if (nodes_.size() >= max_nodes_ || edges_.size() >= kEdgesPerNode * max_nodes_) is_full_ = true;
  if (is_full_) return kNone;
  const auto or_none = [](double v) { return std::isnan(v) ? kNoBound : v; };
  nodes_.push_back({or_none(rounding), or_none(error), is_sum, or_none(magnitude),
                    static_cast<std::uint32_t>(edges_.size())});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void ErrorTape::add_edge(Reference from, SlopeRange slope) {
  if (from.node != kNone && !is_full_)
    edges_.push_back({from.node, from.sign * slope.center, slope.radius});
}

void ErrorTape::set_node(const any_order_error& result, std::uint32_t node) {
  const std::uint64_t at = (result.identity_ & ~any_order_error::kNegated) - first_identity_;
  node_of_.resize(at + 1, kNone);
  rounded_.resize(at + 1, kNone);
  node_of_[at] = node;
}

std::uint32_t ErrorTape::place(const any_order_error& x) const {
  const std::uint64_t identity = x.identity_ & ~any_order_error::kNegated;
  // The identities of other threads and of numbers from before the tape are out of this range.
  if (identity < first_identity_ || identity - first_identity_ >= node_of_.size()) return kNone;
  return static_cast<std::uint32_t>(identity - first_identity_);
}

ErrorTape::Reference ErrorTape::term(const any_order_error& x) {
  const double sign = (x.identity_ & any_order_error::kNegated) != 0 ? -1 : 1;
  const std::uint32_t at = place(x);
  if (at != kNone && (x.terms_ > 0 || x.error == 0 || node_of_[at] != kNone))
    return {node_of_[at], sign};
  return {x.error == 0 ? kNone : add_node(x.error, x.error), sign};
}

ErrorTape::Reference ErrorTape::operand(const any_order_error& x) {
  const std::uint32_t at = place(x);
  if (at == kNone || x.terms_ == 0 || is_full_) return term(x);
  const Reference sum = term(x);
  if (rounded_[at] == kNone) {
    const Arithmetic& arithmetic = AnyOrderArithmetic::current();
    const double roundings = (x.terms_ - 1) * arithmetic.unit_roundoff;
    // Two terms can be added in only one order.
    const double rounded = x.terms_ == 2 && !arithmetic.folded ? std::fabs(x.value) + 2 * error(sum)
                                                               : nodes_[sum.node].magnitude;
    const double rounding = std::isfinite(x.error)
                                ? roundings / (1 - roundings) * rounded * kSlackOfTape +
                                      (x.terms_ - 1) * arithmetic.tiny
                                : kNoBound;
    const double largest = std::min(x.error, (error(sum) + rounding) * kSlackOfTape);
    add_rounded_sum(sum.node, rounding, largest);
    if (is_full_) return {kNone, sum.sign};
    rounded_[at] = static_cast<std::uint32_t>(nodes_.size() - 1);
    Node& node = nodes_.back();
    node.error = std::min(node.error, sum_over_paths(rounded_[at]));
  }
  return {rounded_[at], sum.sign};
}

std::pair<std::size_t, std::size_t> ErrorTape::edges_of(std::uint32_t node) const {
  const std::size_t next = node + std::size_t{1};
  return {nodes_[node].first_edge, next < nodes_.size() ? nodes_[next].first_edge : edges_.size()};
}

void ErrorTape::add_rounded_sum(std::uint32_t sum, double rounding, double error) {
  std::vector<Edge> edges;
  std::vector<Edge> terms = {{sum, 1, 0}};
  while (!terms.empty()) {
    const Edge term = terms.back();
    terms.pop_back();
    const auto [begin, end] = edges_of(term.node);
    if (!nodes_[term.node].is_sum) rounding += nodes_[term.node].rounding;
    for (std::size_t e = begin; e < end; ++e)
      (nodes_[term.node].is_sum ? terms : edges)
          .push_back({edges_[e].node, term.center * edges_[e].center, edges_[e].radius});
  }
  add_node(rounding * kSlackOfTape, error);
  if (!is_full_) edges_.insert(edges_.end(), edges.begin(), edges.end());
}

void ErrorTape::record_leaf(const any_order_error& result) {
  if (is_full_) return;
  set_node(result, result.error == 0 ? kNone : add_node(result.error, result.error));
}

double ErrorTape::magnitude_of_term(const any_order_error& x, Reference term) const {
  if (x.terms_ > 0 && term.node != kNone) return nodes_[term.node].magnitude;
  return std::fabs(x.value) + 2 * error(term);
}

void ErrorTape::record_sum(const any_order_error& result, const any_order_error& a,
                           Reference term_a, const any_order_error& b, Reference term_b) {
  if (is_full_) return;
  const double magnitude = (magnitude_of_term(a, term_a) + magnitude_of_term(b, term_b));
  set_node(result, add_node(0, (error(term_a) + error(term_b)) * kSlackOfTape, true,
                            magnitude * kSlackOfTape));
  add_edge(term_a, {1});
  add_edge(term_b, {1});
}

void ErrorTape::record(const any_order_error& result, Reference a, SlopeRange slope_of_a,
                       Reference b, SlopeRange slope_of_b, double rounding, bool is_exact) {
  if (is_full_) return;
  const auto propagated = [this](Reference operand, SlopeRange slope) {
    // 0 times an infinite slope is NaN, so that no bound is known.
    return operand.node == kNone ? 0 : (std::fabs(slope.center) + slope.radius) * error(operand);
  };
  const double change = (propagated(a, slope_of_a) + propagated(b, slope_of_b)) * kSlackOfTape;
  const Arithmetic& arithmetic = AnyOrderArithmetic::current();
  if (!is_exact)
    rounding += kMaxOperationError * arithmetic.unit_roundoff *
                    (std::fabs(result.value) + 2 * (change + rounding)) * kSlackOfTape +
                arithmetic.tiny;
  if (!std::isfinite(result.error)) rounding = kNoBound;
  set_node(result, add_node(rounding, std::min(result.error, (change + rounding) * kSlackOfTape)));
  add_edge(a, slope_of_a);
  add_edge(b, slope_of_b);
}

any_order_error ErrorTape::record_function(any_order_error result, Reference a, SlopeRange slope,
                                           double rounding) {
  result.assign_identity();
  record(result, a, slope, rounding);
  return result;
}

double ErrorTape::bound(const any_order_error& result) {
  if (is_full_ || !std::isfinite(result.error)) return kNoBound;
  const Reference root = operand(result);
  if (is_full_) return kNoBound;
  if (root.node == kNone) return result.error == 0 ? 0 : kNoBound;
  return std::min(nodes_[root.node].error, sum_over_paths(root.node));
}

/// Returns the sum of the rounding errors, each times the sum of the products of slopes along the
/// paths to the node `root`.
double ErrorTape::sum_over_paths(std::uint32_t root) {
  if (visits_left_ == 0) return kNoBound;
  weights_.resize(nodes_.size());
  pending_.resize(nodes_.size() / 64 + 1);
  weights_[root] = {1, 0};
  pending_[root / 64] |= std::uint64_t{1} << root % 64;
  double sum = 0;
  for (std::size_t word = root / 64 + 1; word-- > 0;)
    while (pending_[word] != 0) {
      const int bit = 63 - std::countl_zero(pending_[word]);
      pending_[word] ^= std::uint64_t{1} << bit;
      const auto i = static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(bit));
      const Weight weight = std::exchange(weights_[i], {});
      const double size = std::fabs(weight.center);
      if (nodes_[i].rounding > 0) sum += nodes_[i].rounding * (size + weight.radius);
      const auto [begin, end] = edges_of(i);
      visits_left_ -= std::min(visits_left_, end - begin + 1);
      for (std::size_t e = begin; e < end; ++e) {
        const Edge& edge = edges_[e];
        Weight& operand = weights_[edge.node];
        const double product = weight.center * edge.center;
        operand.center += product;
        // The last term covers the roundings of the product, of the sum and of this line.
        operand.radius += size * edge.radius +
                          weight.radius * (std::fabs(edge.center) + edge.radius) +
                          0x1p-51 * (std::fabs(product) + std::fabs(operand.center));
        pending_[edge.node / 64] |= std::uint64_t{1} << edge.node % 64;
      }
    }
  constexpr double kSlackOfSums = 1 + 0x1p-20;  // covers the roundings of the sums of bounds
  return std::isnan(sum) ? kNoBound : sum * kSlackOfSums;
}

}  // namespace normproof::ref::numeric
