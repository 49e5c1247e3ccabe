#pragma once

#include <vector>

namespace normproof::verification::training {

/// How well predicted classes agree with the true classes.
struct Classification {
  double accuracy = 0;
  /// Mean over the classes of the F1 score `2 tp / (2 tp + fp + fn)`. tp, fp and fn are the numbers
  /// of true positives, false positives and false negatives. If all three are 0 for a class, its F1
  /// score is 0.
  double macro_f1 = 0;
};

/// Computes accuracy and F1 score of predicted classes, given the true classes `labels`.
/// Requires  (C1) the number of predictions equals the number of labels and is at least 1 (C2)
///           predictions and labels are below `classes`
/// Throws    ContractError
Classification classify(const std::vector<int>& predictions, const std::vector<int>& labels,
                        std::size_t classes);

}  // namespace normproof::verification::training
