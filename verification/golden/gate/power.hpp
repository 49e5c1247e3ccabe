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
  std::string only = "*";  ///< a glob on the names of the layers
  std::size_t seeds = 1;   ///< corpora: the committed one, and others of its kind
  int jobs = 1;
  /// Right implementations alone, whose every operation is of this format, or whose variance is of
  /// this formula, held with what `golden check` allows for it.
  std::optional<Accumulation> accumulation = {};
  tolerance::Formula formula = tolerance::Formula::two_pass;
  bool planted_alone = false;  ///< values in the place of elements, and no other implementation
  std::function<void(const std::string& layer, std::size_t done, std::size_t of)> finished = {};
};

/// No implementation is broken: false alarms alone are measured.
bool right_answers_alone(const PowerOptions& options);

/// What became of one wrong implementation.
struct Verdict {
  Mutation mutation;
  std::size_t killed = 0;     ///< corpora in which a case rejects it
  std::size_t same_bits = 0;  ///< corpora on which every answer has the bits of the right one
  std::string killer = {};    ///< the first case that rejects it
  double closest = 0;         ///< where nothing does: the largest share of a bound that it reached
};

struct LayerPower {
  std::string layer;
  std::size_t cases = 0;
  std::vector<Verdict> verdicts;
  /// A right implementation that a case rejects: the style, the case and the output.
  std::vector<std::string> false_alarms;
  Planted planted;  ///< over all corpora, into the answers of the plain style
  std::size_t styles = 0,
              checks = 0;  ///< right implementations, and their answers that were checked

  std::size_t count_killed(std::size_t seeds) const;
};

/// Every mutation of every site of every layer held against a tier, and every style besides.
///
/// Source    [DLS78], mutation analysis
/// Requires  `only` names a layer; accumulation is one of 16 bits
/// Throws    UsageError, of another name or format
std::vector<LayerPower> measure_power(const PowerOptions& options);

}  // namespace normproof::verification::golden::gate
