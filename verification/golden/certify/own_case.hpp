#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::verification::golden::certify {

/// A user's case in terms of texts and tensors, with the contents of a case of the corpus.
struct UserCase {
  std::string name;  ///< lower-case letters, digits and '_'
  std::string op;
  std::string mode = "training";
  std::vector<std::pair<std::string, std::string>> options =
      {};  ///< absent options have their defaults
  bool sequence = false;
  std::vector<StoredTensor> inputs;  ///< the inputs of `normproof eval`, in any order
};

/// Reads options from a JSON object of texts, {"eps":"1e-05"}; an empty text gives none.
/// Throws    UsageError
std::vector<std::pair<std::string, std::string>> parse_user_options(const std::string& text);

/// Returns the case of the tier `user` for a question.
/// Throws    UsageError, one sentence: an unknown name with the nearest known one, a tensor that is
///           absent, unknown or of another shape, an option or an input that the operation rejects
Case make_user_case(const UserCase& question);

/// Computes and certifies the expected values of a user's case; returns what the folder of a case
/// would hold.
/// Computes  on `threads` threads, which changes no bit: the row_parts of the case in parallel, or
///           the two enclosures in parallel if rows depend on each other
/// Throws    what certify throws
StoredCase certify_user_case(const Case& c, int threads);

}  // namespace normproof::verification::golden::certify
