#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace normproof::ref::data {

/// A batch of token sequences, padded to one length: [B,T] in row-major order.
struct TokenBatch {
  std::size_t batch_size = 0;               // B
  std::size_t seq_len = 0;                  // T
  std::vector<std::int32_t> tokens;         // [B,T] token ids; pad_id at padding
  std::vector<std::uint8_t> valid;          // [B,T]; 1 = a real token, 0 = padding
  std::vector<int> labels;                  // [B]
  std::vector<std::size_t> sentence_index;  // [B] position of the sentence in the corpus
  bool operator==(const TokenBatch&) const = default;
};

struct BatchingOptions {
  std::size_t batch_size = 32;
  /// The length of every batch in tokens. A longer sentence keeps its first fixed_length - 1 tokens
  /// and its last one ([SEP]). If no length is given, each batch is as long as its longest
  /// sentence.
  std::optional<std::size_t> fixed_length;
  /// Whether to drop the last batch if it has fewer than batch_size sentences.
  bool drop_last = false;
  /// Whether to shuffle the sentences. If not, they keep the order of the corpus.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
  std::int32_t pad_id = 0;  // Vocabulary::pad_id()
};

/// Returns a random permutation of {0, ..., count - 1}.
///
/// Computes  p = identity; for i = count - 1, ..., 1: swap p[i] and p[j], where j is
///           RandomStream(seed, "shuffle/<epoch>").below(i, i + 1) (Fisher and Yates [Knu97, 3.4.2,
///           algorithm P]); <epoch> stands for the epoch as a decimal number
/// Requires  nothing; count 0 gives the empty permutation
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch);

/// Returns the batches of one epoch of a tokenized corpus.
///
/// Computes  batch k holds the sentences order[k B], order[k B + 1], ..., where B is batch_size and
///           order is shuffled_order(N, seed, epoch), or the identity without shuffling. Padding is
///           at the end of each row
/// Shapes    sequences: N rows of ids, each with its own length; labels [N]
/// Requires  (C1) N >= 1  (C2) labels has extent N  (C3) no sequence is empty  (C4) batch_size >= 1
///           (C5) fixed_length >= 2 if given  (C6) N >= batch_size if drop_last is set
/// Order     each sentence is in exactly one batch, except the sentences that drop_last omits
/// Throws    ContractError
std::vector<TokenBatch> make_batches(const std::vector<std::vector<std::int32_t>>& sequences,
                                     const std::vector<int>& labels,
                                     const BatchingOptions& options);

}  // namespace normproof::ref::data
