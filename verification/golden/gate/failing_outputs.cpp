#include "verification/golden/gate/failing_outputs.hpp"

#include <utility>

#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

using corpus::find;
using corpus::unit_roundoff;

namespace {

/// Returns the outputs that were compared, and that passed or did not.
std::vector<FailingOutput> select_outputs(bool passed, const StoredCase& stored,
                                          const std::vector<StoredTensor>& answer,
                                          const CaseResult& result,
                                          const tolerance::Tolerance& bounds) {
  std::vector<FailingOutput> selected;
  for (const TensorResult& t : result.tensors) {
    if (t.passed() != passed || !t.problem.empty()) continue;
    const StoredTensor& given = *find(answer, t.name);
    FailingOutput f{t.name,
                    given.dtype,
                    given.shape,
                    t.failed,
                    ref::io::widen(given),
                    ref::io::widen(*find(stored.expected, t.name)),
                    {},
                    unit_roundoff(given.dtype)};
    if (corpus::is_scaled(stored.description.c)) {
      // In the units of the scales in the output.
      JudgedValues judged = compute_judged_values(stored, answer, t.name, bounds);
      f.exact = std::move(judged.high);
      f.bound = std::move(judged.bound);
    }
    for (std::size_t i = f.bound.size(); i < f.got.size(); ++i)
      f.bound.push_back(tolerance::with_storage_rounding(
          bounds.bound.at(t.name).data()[i], f.exact[i], kNonzeroRemainder, given.dtype));
    selected.push_back(std::move(f));
  }
  return selected;
}

}  // namespace

std::vector<FailingOutput> failing_outputs(const StoredCase& stored,
                                           const std::vector<StoredTensor>& answer,
                                           const CaseResult& result,
                                           const tolerance::Tolerance& bounds) {
  return select_outputs(false, stored, answer, result, bounds);
}

std::vector<FailingOutput> passing_outputs(const StoredCase& stored,
                                           const std::vector<StoredTensor>& answer,
                                           const CaseResult& result,
                                           const tolerance::Tolerance& bounds) {
  return select_outputs(true, stored, answer, result, bounds);
}

}  // namespace normproof::verification::golden::gate
