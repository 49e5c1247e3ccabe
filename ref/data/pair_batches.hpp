#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::data {

/// The word ids of sentences, one sentence per row.
using SentenceIds = std::vector<std::vector<std::int32_t>>;

/// A batch of sentence pairs, padded, in row-major order: the source [B,S] and the target [B,T].
struct PairBatch {
  std::size_t batch_size = 0;               // B
  std::size_t source_len = 0;               // S: length of the longest source with its end mark
  std::size_t target_len = 0;               // T: length of the longest target with its end mark
  std::vector<std::int32_t> source;         // [B,S] words, end mark, padding
  std::vector<std::uint8_t> source_valid;   // [B,S]; 1 = a word or the end mark, 0 = padding
  std::vector<std::int32_t> inputs;         // [B,T] begin mark, words, padding
  std::vector<int> targets;                 // [B,T] words, end mark; kNoTarget where not valid
  std::vector<std::uint8_t> target_valid;   // [B,T]; the mask of inputs and of targets
  std::vector<std::size_t> sentence_index;  // [B] position of the pair in the text
  bool operator==(const PairBatch&) const = default;
};

/// The ids of special tokens: the begin mark, the end marks and the padding of source and target.
struct SpecialTokenIds {
  std::int32_t source_end, source_padding;
  std::int32_t target_begin, target_end, target_padding;
};

struct PairOptions {
  std::size_t batch_size = 32;  ///< pairs per batch; a last batch may have fewer
  /// Whether to put pairs of similar length into one batch, so that there is little padding.
  bool by_length = true;
  /// Whether to shuffle the pairs. If not, they keep the order of the text; if by_length is true,
  /// they are in ascending order of length instead.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
};

/// Returns the batches of sentence pairs of one epoch. They are for a translator that predicts each
/// word of a target from the words before it.
///
/// Computes  order = shuffled_order(N, seed, epoch), or the identity without shuffling. If
///           by_length is true, order is then sorted by the length of the source, then of the
///           target; pairs of equal lengths keep their order. Batch k holds the pairs order[k B],
///           order[k B + 1], ..., where B is batch_size. If by_length is true, the batches are
///           finally put into the order shuffled_order(number of batches, seed, epoch), unless
///           shuffling is off
/// Shapes    source, target: N rows of ids, each with its own length
/// Requires  (C1) N >= 1, the same for both  (C2) no sentence is empty  (C3) batch_size >= 1
/// Order     each pair is in exactly one batch
/// Throws    ContractError
std::vector<PairBatch> make_pair_batches(const SentenceIds& source, const SentenceIds& target,
                                         const SpecialTokenIds& marks, const PairOptions& options);

}  // namespace normproof::ref::data
