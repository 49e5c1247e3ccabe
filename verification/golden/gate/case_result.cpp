#include "verification/golden/gate/case_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace normproof::verification::golden::gate {

bool CaseResult::passed() const {
  return !declined && problem.empty() && std::ranges::all_of(tensors, &TensorResult::passed);
}

std::vector<std::string> output_names(const CaseResult& result) {
  std::vector<std::string> names;
  names.reserve(result.tensors.size());
  for (const TensorResult& tensor : result.tensors) names.push_back(tensor.name);
  return names;
}

bool passes_fully_judged(const CaseResult& result) {
  return result.passed() && std::ranges::all_of(result.tensors, [](const TensorResult& tensor) {
           return tensor.unjudged == 0;
         });
}

std::string Diagnosis::sentence() const {
  if (kind == Kind::place) return what;
  const std::string of = outputs.empty() ? "" : fmt::format(": {}", fmt::join(outputs, ", "));
  if (kind == Kind::option) return fmt::format("the answer is right for {}{}", what, of);
  if (kind == Kind::answer) return what + of;
  if (kind == Kind::mistake) return fmt::format("agrees with '{}' to {:.2g} ulp{}", what, ulps, of);
  const std::string size =
      share > 0 ? fmt::format(" (the largest error is {:.2g} % of that)", 100 * share) : "";
  return bounded ? fmt::format("no farther off than {} may be{}{}", what, size, of)
                 : fmt::format("{} may lose every digit of some elements here{}", what, of);
}

}  // namespace normproof::verification::golden::gate
