#pragma once

#include <span>
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
  /// The options as pairs of name and value. An option that is absent has its default value. The
  /// option "y_dtype" is the dtype of y if it differs from that of x, as for a y of 8 bits.
  std::vector<std::pair<std::string, std::string>> options = {};
  bool sequence = false;
  std::vector<StoredTensor> inputs;  ///< the inputs of `normproof apply`, in any order
};

/// Reads options from a JSON object whose values are strings, such as {"eps":"1e-05"}. An empty
/// text means no options.
/// Throws    UsageError
std::vector<std::pair<std::string, std::string>> parse_user_options(const std::string& text);

/// Converts a user's case to a case of the tier `user`. The requirements of the operation are
/// checked on `threads` threads.
/// Throws    UsageError with one sentence, if a name is unknown (the sentence gives the nearest
///           known name), if a tensor is absent, unknown or has a wrong shape, or if the operation
///           rejects an option or an input
Case make_user_case(UserCase question, int threads = 1);

/// Computes and certifies the expected values of a user's case. Returns what the folder of a case
/// in a corpus would contain.
/// Computes  on `threads` threads, in the blocks of RowBlocks. Neither changes the result
/// Throws    the exceptions of certify_in_blocks
StoredCase certify_user_case(Case c, int threads, const Progress& progress = {});

/// Certifies some rows of a user's case with many rows. The returned case consists of these rows.
/// The outputs that are sums over rows are those of all rows: they are enclosed with less accuracy,
/// in `double` with running error bounds, and StoredCase::all_rows has the radii of the enclosures.
/// Throws    UsageError if the operation does not compute each row independently, and if `rows` is
///           empty, not ascending or out of range; the exceptions of certify_in_blocks
StoredCase certify_rows(Case c, std::span<const std::size_t> rows, int threads,
                        const Progress& progress = {});

}  // namespace normproof::verification::golden::certify
