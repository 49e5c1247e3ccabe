#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verification/golden/gate/failing_outputs.hpp"
#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::gate {

/// The row in which most elements failed, for a case with independent rows. Most mutations disagree
/// with this row, so that the other rows need not be computed.
class FailingRow {
 public:
  /// Returns nothing if the case has no independent rows, or if only sums over rows failed.
  static std::optional<FailingRow> find_in(const Case& c,
                                           const std::vector<FailingOutput>& failing);

  /// Computes the row without a mutation. `work_left` limits the work (mutations::Sites::limit).
  void start(std::uint64_t& work_left);

  /// The result of comparing the row with a mutation.
  struct Finding {
    bool may_explain = true;
    bool is_refuted = false;
  };

  /// Compares the row with a mutation. It may explain an output if it agrees with the row in one of
  /// them, if it changes none of them but a sum over rows, or if it mixes rows.
  /// Requires  the row was computed without a mutation
  Finding compare(const mutations::Mutation& mutation, std::uint64_t& work_left) const;

 private:
  Case c_ = {};
  ref::model::OperationInputs inputs_ = {};
  std::vector<FailingOutput> outputs_ = {};
  bool sums_fail_ = false;
  std::vector<StoredTensor> right_ = {};
  std::vector<mutations::Mutation> seen_ = {};
};

}  // namespace normproof::verification::golden::gate
