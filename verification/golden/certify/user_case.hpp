#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::verification::golden::certify {

/// A user's case, given as texts and tensors. It has the same contents as a case of the corpus.
struct UserCase {
  std::string name;  ///< lower-case letters, digits and '_'
  std::string op;
  std::string mode = "training";
  /// The options as pairs of name and value. An option that is absent has its default value.
  std::vector<std::pair<std::string, std::string>> options = {};
  bool sequence = false;
  std::vector<StoredTensor> inputs;  ///< the inputs of `normproof apply`, in any order
};

/// Reads options from a JSON object whose values are strings, such as {"eps":"1e-05"}. An empty
/// text means no options.
/// Throws    UsageError
std::vector<std::pair<std::string, std::string>> parse_user_options(const std::string& text);

/// Converts a user's case to a case of the tier `user`.
/// Throws    UsageError with one sentence, if a name is unknown (the sentence gives the nearest
///           known name), if a tensor is absent, unknown or has a wrong shape, or if the operation
///           rejects an option or an input
Case make_user_case(const UserCase& question);

/// Computes and certifies the expected values of a user's case. Returns what the folder of a case
/// in a corpus would contain.
/// Computes  on `threads` threads. Their number does not change the result. The parts of
///           split_into_row_parts are certified in parallel. If rows depend on each other, the two
///           enclosures are computed in parallel instead
/// Throws    the exceptions of certify
StoredCase certify_user_case(const Case& c, int threads);

}  // namespace normproof::verification::golden::certify
