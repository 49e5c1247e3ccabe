#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/gate/value_injection.hpp"
#include "verification/golden/mutations/mutation.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using corpus::Tier;
using mutations::Mutation;

struct DetectionPowerOptions {
  Tier tier = Tier::quick;
  std::string only = "*";  ///< glob for the names of layers
  /// The number of corpora on which implementations are run. The first is the committed corpus.
  /// Each further corpus is made from another random seed.
  std::size_t seeds = 1;
  int jobs = 1;
  /// The format in which all operations of the correct implementations compute. If it is set, no
  /// mutated implementations are run. The outputs are checked with the tolerance that
  /// `golden check` grants a candidate that declares this format.
  std::optional<Accumulation> accumulation = {};
  /// The class of formulas that the correct implementations use. If it is not two_pass, no mutated
  /// implementations are run. The outputs are checked with the tolerance that `golden check` grants
  /// a candidate that declares this formula.
  tolerance::Formula formula = tolerance::Formula::two_pass;
  /// Whether to inject values into correct outputs only, without running mutated implementations.
  bool inject_only = false;
  std::function<void(const std::string& layer, std::size_t done, std::size_t of)> finished = {};
};

/// Whether these options run correct implementations only, so that no mutation is tried.
bool measures_only_false_alarms(const DetectionPowerOptions& options);

/// The result for one mutated implementation.
struct MutationVerdict {
  Mutation mutation;
  std::size_t killed = 0;  ///< number of corpora in which some case rejects the mutation
  /// The number of corpora on which the outputs of the mutated implementation are bit-identical to
  /// the correct outputs.
  std::size_t same_bits = 0;
  std::string killer = {};  ///< the first case that rejects the mutation
  double closest = 0;       ///< the largest ratio of error to bound if no case rejects the mutation
};

struct LayerDetectionPower {
  std::string layer;
  std::size_t cases = 0;
  std::vector<MutationVerdict> verdicts;
  /// Correct implementations that were rejected. Each entry names the style, the case and the
  /// output.
  std::vector<std::string> false_alarms;
  /// The verdicts on injected values, summed over all corpora. The values replace elements of the
  /// correct outputs of the default style.
  InjectionResult planted;
  /// The number of correct styles, and the number of their outputs that were checked.
  std::size_t styles = 0, checks = 0;

  std::size_t count_killed_mutations(std::size_t seeds) const;
};

/// Measures how many wrong implementations the gate detects. Runs every implementation with an
/// injected error (a mutation) and every correct implementation of each layer on all cases of a
/// tier.
///
/// Source    [DLS78], mutation analysis
/// Requires  `only` matches a layer; `accumulation`, if set, is a 16-bit format
/// Throws    UsageError otherwise
std::vector<LayerDetectionPower> measure_detection_power(const DetectionPowerOptions& options);

}  // namespace normproof::verification::golden::gate
