#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::verification::golden::certify {

/// A question of somebody's own: what a case of the corpus says, as texts and tensors.
struct OwnQuestion {
  std::string name;  ///< lower case, digits and '_'
  std::string op;
  std::string mode = "training";
  std::vector<std::pair<std::string, std::string>> options =
      {};  ///< those that are not there: defaults
  bool sequence = false;
  std::vector<StoredTensor> inputs;  ///< as for `normproof eval`, in any order
};

/// Options from a JSON object of texts, {"eps":"1e-05"}; none from an empty text.
/// Throws    UsageError
std::vector<std::pair<std::string, std::string>> own_options(const std::string& text);

/// The case of the tier `own` that the question is.
/// Throws    UsageError, one sentence: an unknown name with the nearest known one, a tensor that is
///           absent, unknown or of another shape, an option or an input that the operation refuses
Case own_case(const OwnQuestion& question);

/// Its expected values, certified on the spot; all that the folder of a case would hold.
/// Computes  on `threads` threads, which changes no bit: as many parts of row_parts.hpp, or, where
///           rows meet, the two enclosures
/// Throws    what certify throws
StoredCase certify_own(const Case& c, int threads);

}  // namespace normproof::verification::golden::certify
