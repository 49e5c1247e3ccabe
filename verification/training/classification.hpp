#pragma once

#include <vector>

namespace normproof::verification::training {

/// The quality of predicted classes.
struct Classification {
  double accuracy = 0;
  /// Mean over the classes of 2 tp / (2 tp + fp + fn), taken as 0 if that is 0/0.
  double macro_f1 = 0;
};

/// Compares predictions with labels.
/// Requires  (C1) as many predictions as labels, at least one  (C2) both below `classes`
/// Throws    ContractError
Classification classify(const std::vector<int>& predictions, const std::vector<int>& labels,
                        std::size_t classes);

}  // namespace normproof::verification::training
