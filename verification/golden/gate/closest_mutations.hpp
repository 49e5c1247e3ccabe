#pragma once

#include <vector>

#include "verification/golden/gate/agreeing_mutations.hpp"

namespace normproof::verification::golden::gate {

/// Sorts the mutations by the number of outputs that they explain, and then by their distance.
/// Removes a mutation if one of the following conditions holds:
/// - It is much farther from the output than the closest one that explains as many outputs.
/// - Another one explains its outputs and more. Then it agrees by coincidence, as a sum over rows
///   that lacks one row does with an inserted mask.
/// - It is an error at several sites, of which one alone explains the same outputs.
void keep_closest(std::vector<AgreeingMutation>& found);

}  // namespace normproof::verification::golden::gate
