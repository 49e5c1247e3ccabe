#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// Some rows of a case, with the outputs of a candidate for them. It has no sums over rows.
struct RowSample {
  StoredCase stored;
  std::vector<StoredTensor> answer;
};

/// The number of elements of x, to the next whole row, that a sample of rows has at most.
inline constexpr std::size_t kMaxSampledElements = 4096;

/// Returns the rows in which most elements failed. A diagnosis of them finds the mistakes that a
/// diagnosis of the whole case would find, unless they mix rows, and costs no more for a large case
/// than for a small one. Returns nothing if the case is small, if its operation does not compute
/// each row independently, or if only sums over rows failed.
/// Requires  `answer` contains each output of result.tensors that was compared and failed
std::optional<RowSample> sample_failing_rows(const StoredCase& stored,
                                             const std::vector<StoredTensor>& answer,
                                             const CaseResult& result);

}  // namespace normproof::verification::golden::gate
