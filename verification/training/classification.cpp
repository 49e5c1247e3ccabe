#include "verification/training/classification.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {

using ref::numeric::Clause;

Classification classify(const std::vector<int>& predictions, const std::vector<int>& labels,
                        std::size_t classes) {
  if (predictions.empty() || predictions.size() != labels.size())
    ref::numeric::contract_failure(
        "classify", "predictions",
        fmt::format("has {} for {} labels", predictions.size(), labels.size()),
        "as many, at least one", Clause::C1);
  std::vector<double> right(classes, 0), predicted(classes, 0), labelled(classes, 0);
  double all_right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto p = static_cast<std::size_t>(predictions[i]);
    const auto l = static_cast<std::size_t>(labels[i]);
    if (p >= classes || l >= classes)
      ref::numeric::contract_failure("classify", p >= classes ? "predictions" : "labels",
                                     fmt::format("has the class {} at {}", p >= classes ? p : l, i),
                                     fmt::format("a class below {}", classes), Clause::C2);
    ++predicted[p];
    ++labelled[l];
    if (p != l) continue;
    ++right[p];
    ++all_right;
  }
  Classification result;
  result.accuracy = all_right / static_cast<double>(labels.size());
  for (std::size_t c = 0; c < classes; ++c) {
    const double both = predicted[c] + labelled[c];  // `2 tp + fp + fn`
    if (both > 0) result.macro_f1 += 2 * right[c] / both;
  }
  result.macro_f1 /= static_cast<double>(classes);
  return result;
}

}  // namespace normproof::verification::training
