#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ref/numeric/any_order_error.hpp"

namespace normproof::ref::numeric {

/// The factor by which an error of an operand enters the result of an operation. It lies within
/// `radius` of `center` for every tested implementation (candidate).
struct SlopeRange {
  double center;
  double radius = 0;
};

/// Returns the range of the numbers from `lower` to `upper`.
SlopeRange slope_between(double lower, double upper);

/// Records the operations of any_order_error in this thread, as long as this object exists. From
/// the record follows a bound of the error of a result that takes the signs of all slopes into
/// account. It is smaller than `any_order_error::error` if the errors of operands partly cancel,
/// or if many operations follow each other.
///
/// Source    docs/error_analysis.md, section 8, Errors along the derivative
/// Computes  the error of a result is a sum over all operations: the rounding error of the
///           operation, times the sum over all paths to the result of the products of the slopes
///           along the path. The slopes are enclosed between the exact and the computed operands,
///           so that no error of second order is neglected. The enclosures use the errors that
///           follow for the operands from the record itself
class ErrorTape {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// A recorded operation, and whether its result is negated. Numbers without error have none.
  struct Reference {
    std::uint32_t node = kNone;
    double sign = 1;
  };

  /// Records at most `max_nodes` operations. If there are more, no bound is known. All bounds
  /// together follow about `max_visits` operands. After that, the bounds are those of the
  /// operations one by one.
  ErrorTape(std::size_t max_nodes, std::size_t max_visits);
  ~ErrorTape();
  ErrorTape(const ErrorTape&) = delete;
  ErrorTape& operator=(const ErrorTape&) = delete;

  /// Returns the tape of this thread, or null.
  static ErrorTape* current();

  std::size_t nodes() const { return nodes_.size(); }

  /// Returns a bound of the error of a result. It is not always smaller than `result.error`. It is
  /// infinite if the tape is full or has used its visits.
  double bound(const any_order_error& result);

  // The functions below are called by the operations themselves.

  /// Returns the operation that computed an operand. If it was not recorded, a new node has the
  /// error of the operand. A sum is rounded here, once for all of its uses.
  Reference operand(const any_order_error& x);
  /// Returns the operation that computed a term of a sum. A term that is a sum is not rounded.
  Reference term(const any_order_error& x);
  /// Returns a bound of the error of an operand.
  double error(Reference operand) const {
    return operand.node == kNone ? 0 : nodes_[operand.node].error;
  }
  /// Notes that the last identity belongs to a number with this error and without operands.
  void record_leaf(const any_order_error& result);
  /// Records a sum of two terms, to which more terms may be added.
  void record_sum(const any_order_error& result, const any_order_error& a, Reference term_a,
                  const any_order_error& b, Reference term_b);
  /// Records an operation other than a sum. `rounding` is a part of its error that does not come
  /// from the operands, beside the error of every operation; it is all of that error if `is_exact`
  /// is set.
  void record(const any_order_error& result, Reference a, SlopeRange slope_of_a, Reference b,
              SlopeRange slope_of_b, double rounding = 0, bool is_exact = false);
  /// Overload for an operation with one operand.
  void record(const any_order_error& result, Reference a, SlopeRange slope_of_a,
              double rounding = 0, bool is_exact = false) {
    record(result, a, slope_of_a, Reference(), {0}, rounding, is_exact);
  }
  /// Records a function of one operand, and returns its result with an identity.
  any_order_error record_function(any_order_error result, Reference a, SlopeRange slope,
                                  double rounding);

 private:
  struct Edge {
    std::uint32_t node;
    double center, radius;
  };
  struct Node {
    double rounding;           ///< the error that the operation has itself
    double error;              ///< a bound of the error of the result
    bool is_sum;               ///< a sum before its rounding; its edges are its terms
    double magnitude;          ///< of a sum: the sum of the largest magnitudes of its terms
    std::uint32_t first_edge;  ///< the edges of a node end where those of the next node begin
  };

  /// A range of numbers: products of slopes along paths.
  struct Weight {
    double center = 0, radius = 0;
  };

  std::uint32_t add_node(double rounding, double error, bool is_sum = false, double magnitude = 0);
  /// Makes room for a number, and stores its node unless it has no error.
  void set_node(const any_order_error& result, std::uint32_t node);
  double magnitude_of_term(const any_order_error& x, Reference term) const;
  std::pair<std::size_t, std::size_t> edges_of(std::uint32_t node) const;
  /// Adds the last node: the sum `sum` after its rounding. Its edges are those of its terms, and
  /// its error includes theirs.
  void add_rounded_sum(std::uint32_t sum, double rounding, double error);
  double sum_over_paths(std::uint32_t root);
  void add_edge(Reference from, SlopeRange slope);
  /// Returns the place of a number among the identities that this tape has seen, or kNone.
  std::uint32_t place(const any_order_error& x) const;

  std::size_t max_nodes_, visits_left_;
  bool is_full_ = false;
  ErrorTape* previous_;
  std::uint64_t first_identity_;
  /// By place: the node of each number, and the node of each sum after its rounding.
  std::vector<std::uint32_t> node_of_, rounded_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  // The sweep of sum_over_paths. Between sweeps all of them are 0.
  std::vector<Weight> weights_;
  std::vector<std::uint64_t> pending_;  ///< one bit per node whose weight is not 0
};

}  // namespace normproof::ref::numeric
