#pragma once

#include <cstddef>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/real.hpp"

namespace normproof::verification::checks::oracle {

using ref::numeric::oracle100;

/// Records every operation on Variables and its partial derivatives, for reverse-mode
/// differentiation. One backward sweep over the tape computes a vector-Jacobian product by the
/// chain rule. It costs a small multiple of the forward. Dual numbers and the complex step method
/// need one forward per input instead, so large inputs use the tape.
/// Source    [GW08], reverse mode
class Tape {
 public:
  static constexpr std::size_t kConstantNode = static_cast<std::size_t>(-1);

  /// Adds a node that depends on the nodes `a` and `b`. Its partial derivatives with respect to
  /// these two nodes are `da` and `db`.
  std::size_t record(std::size_t a, const oracle100& da, std::size_t b, const oracle100& db) {
    nodes_.push_back({a, b, da, db});
    return nodes_.size() - 1;
  }

  /// Returns the derivative of a weighted sum of nodes with respect to every node.
  /// Computes  d(sum_i weight_i node_i)/d(node), with one weight per node
  std::vector<oracle100> backpropagate(std::vector<oracle100> weights) const {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const Node& node = nodes_[i];
      if (node.a != kConstantNode) weights[node.a] += weights[i] * node.da;
      if (node.b != kConstantNode) weights[node.b] += weights[i] * node.db;
    }
    return weights;
  }

  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::size_t a;
    std::size_t b;
    oracle100 da;
    oracle100 db;
  };
  std::vector<Node> nodes_;
};

/// A number that records how it was computed. A constant has no tape.
struct Variable {
  Variable() = default;
  Variable(const oracle100& constant) : value(constant) {}
  Variable(const oracle100& v, Tape* t, std::size_t n) : value(v), tape(t), node(n) {}
  static Variable input(const oracle100& v, Tape& tape) {
    return {v, &tape, tape.record(Tape::kConstantNode, 0, Tape::kConstantNode, 0)};
  }

  oracle100 value = 0;
  Tape* tape = nullptr;
  std::size_t node = Tape::kConstantNode;
};

inline Variable combine(const oracle100& value, const Variable& a, const oracle100& da,
                        const Variable& b, const oracle100& db) {
  Tape* tape = a.tape != nullptr ? a.tape : b.tape;
  if (tape == nullptr) return Variable(value);
  return {value, tape, tape->record(a.node, da, b.node, db)};
}

inline Variable operator+(const Variable& a, const Variable& b) {
  return combine(a.value + b.value, a, 1, b, 1);
}
inline Variable operator-(const Variable& a, const Variable& b) {
  return combine(a.value - b.value, a, 1, b, -1);
}
inline Variable operator*(const Variable& a, const Variable& b) {
  return combine(a.value * b.value, a, b.value, b, a.value);
}
inline Variable operator/(const Variable& a, const Variable& b) {
  return combine(a.value / b.value, a, 1 / b.value, b, -a.value / (b.value * b.value));
}
inline Variable root(const Variable& x) {
  const oracle100 r = sqrt(x.value);
  return combine(r, x, 1 / (2 * r), Variable(), 0);
}
/// Returns tanh(x). Its derivative is 1/cosh(x)^2.
inline Variable tanh(const Variable& x) {
  const oracle100 c = cosh(x.value);
  return combine(oracle100(ref::numeric::tanh(x.value)), x, oracle100(1 / (c * c)), Variable(), 0);
}

}  // namespace normproof::verification::checks::oracle
