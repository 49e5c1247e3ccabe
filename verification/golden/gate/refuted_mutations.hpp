#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::gate {

/// The passes whose outputs failed in a case. An implementation may have a mistake of its own in
/// each of them.
struct FailedPasses {
  bool forward = false, backward = false;

  auto operator<=>(const FailedPasses&) const = default;
};

/// The mutations that failing cases of one candidate refute. An implementation with a known mistake
/// has it in every case. A mutation that would be seen in a failing case and explains nothing there
/// need not be tried in later cases in which the same passes failed.
class RefutedMutations {
 public:
  /// Records that the mutation explains no output that failed in a case, although it would be seen
  /// there or has no effect on these outputs.
  void add(const mutations::Mutation& mutation, FailedPasses failed, std::size_t case_number);
  /// Records that the mutation explains an output of a case.
  void confirm(const mutations::Mutation& mutation, std::size_t case_number);
  /// Whether a case with a smaller number refutes the mutation and none confirms it. The answer for
  /// a case does not change if the case, or one after it, is judged again.
  bool has(const mutations::Mutation& mutation, FailedPasses failed, std::size_t case_number) const;

  /// Forgets the cases from this number on.
  void forget_from(std::size_t case_number);

 private:
  using Key = std::tuple<std::string, mutations::MutationOperator, FailedPasses>;
  std::map<Key, std::size_t> refuted_;  ///< the smallest number of a case that refutes it
  /// The smallest number of a case that confirms a mutation.
  std::map<std::pair<std::string, mutations::MutationOperator>, std::size_t> confirmed_;
};

/// The refuted mutations of a run over many cases, by operation.
class SearchHistory {
 public:
  RefutedMutations& of(const std::string& operation) { return refuted_[operation]; }
  /// Forgets the cases from this number on, as a case that is judged again may have the outputs of
  /// another candidate.
  void forget_from(std::size_t case_number);

 private:
  std::map<std::string, RefutedMutations> refuted_;
};

/// The cases of the same candidate and operation that were searched before a case.
struct EarlierCases {
  RefutedMutations* refuted = nullptr;  ///< none is known, and none is recorded
  std::size_t case_number = 0;
};

}  // namespace normproof::verification::golden::gate
