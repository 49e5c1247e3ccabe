#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/gate/planted.hpp"
#include "verification/golden/mutations/mutation.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using corpus::Tier;
using mutations::Mutation;

struct PowerOptions {
  Tier tier = Tier::quick;
  std::string only = "*";  ///< a glob on layer names
  std::size_t seeds = 1;   ///< number of corpora: the committed one and others from different seeds
  int jobs = 1;
  /// If either is set, only correct implementations are measured: all of their operations have this
  /// format, or their variance has this formula, and they are held to the tolerance that `golden
  /// check` grants for it.
  std::optional<Accumulation> accumulation = {};
  tolerance::Formula formula = tolerance::Formula::two_pass;
  bool inject_only = false;  ///< whether to inject values only, without wrong implementations
  std::function<void(const std::string& layer, std::size_t done, std::size_t of)> finished = {};
};

/// Whether only false alarms are measured, and no implementation is mutated.
bool measures_only_false_alarms(const PowerOptions& options);

/// The result for one wrong implementation.
struct MutationVerdict {
  Mutation mutation;
  std::size_t killed = 0;     ///< corpora in which a case rejects it
  std::size_t same_bits = 0;  ///< corpora on which all of its outputs equal the correct bits
  std::string killer = {};    ///< the first case that rejects it
  double closest = 0;         ///< its largest ratio of error to bound if no case rejects it
};

struct LayerPower {
  std::string layer;
  std::size_t cases = 0;
  std::vector<MutationVerdict> verdicts;
  /// Correct implementations that a case rejects: the style, the case and the output.
  std::vector<std::string> false_alarms;
  InjectionResult planted;  ///< counts over all corpora; values replace outputs of the plain style
  std::size_t styles = 0,
              checks = 0;  ///< correct implementations, and their checked outputs

  std::size_t count_killed(std::size_t seeds) const;
};

/// Runs every mutation of every site of every layer, and every correct style, against a tier.
///
/// Source    [DLS78], mutation analysis
/// Requires  `only` matches a layer; accumulation is a 16-bit format
/// Throws    UsageError otherwise
std::vector<LayerPower> measure_power(const PowerOptions& options);

}  // namespace normproof::verification::golden::gate
