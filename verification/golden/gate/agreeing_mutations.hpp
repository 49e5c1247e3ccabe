#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/gate/failing_outputs.hpp"
#include "verification/golden/gate/refuted_mutations.hpp"
#include "verification/golden/mutations/mutation.hpp"
#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::gate {

/// A mutation that explains failing outputs.
struct AgreeingMutation {
  mutations::Mutation mutation;
  Diagnosis diagnosis;
};

struct MutationSearch {
  std::vector<AgreeingMutation> found = {};
  bool is_complete = true;  ///< whether every mutation was tried within the work limit
};

/// Returns the number of uses of sites that the search for the mistake of a case may cost
/// (mutations::Sites::limit). It grows with the number of elements that were judged, as the cost of
/// the verdict does, so that the search takes no longer than the verdict on a large case.
std::uint64_t search_work_limit(const CaseResult& result);

/// Searches for mutations that explain failing outputs. Those that explain more outputs come first.
/// If several explain equally many, the closest comes first. A mutation need not explain every
/// failing output: the same error may occur twice, may leave an output unchanged, or may affect a
/// statistic that is computed separately.
///
/// Computes  a mutation explains an output if three conditions hold. Every element agrees with the
///           value of the mutation within the error bound of that value. In most of the
///           elements that fail, the value of the mutation fails too. The output is much closer to
///           the mutation than to the exact values. A mutation is no explanation if it would spoil
///           an output that passed, unless it explains only gradients and that output is none, or
///           the reverse: a backward pass may be a program of its own. The result does not depend
///           on the speed of the machine, because the limit counts work and not time. A mutation
///           that earlier cases refute is not tried, and what this case refutes is recorded
MutationSearch find_agreeing_mutations(const StoredCase& stored,
                                       const std::vector<FailingOutput>& failing,
                                       std::uint64_t work_limit,
                                       const std::vector<FailingOutput>& passing = {},
                                       const EarlierCases& earlier = {},
                                       const plain::Style& style = {});

}  // namespace normproof::verification::golden::gate
