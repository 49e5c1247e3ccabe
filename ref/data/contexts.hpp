#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::data {

/// The target of a position that has no next token to predict.
inline constexpr int kNoTarget = -1;

/// A batch of contexts, [B,T] in row-major order. A context is a piece of a text; it has at most T
/// tokens.
struct ContextBatch {
  std::size_t batch_size = 0;        // B
  std::size_t seq_len = 0;           // T
  std::vector<std::int32_t> tokens;  // [B,T] token ids; 0 where not valid
  std::vector<std::uint8_t> valid;   // [B,T]; 1 = a token of the text
  std::vector<int> targets;          // [B,T] the next token; kNoTarget where not valid
  bool operator==(const ContextBatch&) const = default;
};

struct ContextOptions {
  std::size_t length = 64;      ///< T, tokens per context
  std::size_t batch_size = 16;  ///< contexts per batch; the last batch may have fewer
  /// Whether to shuffle the contexts. If not, they keep the order of the text.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
};

/// Returns the batches of contexts of one epoch of a text.
///
/// Computes  context k has the tokens k T, ..., k T + T - 1. The target of each token is the token
///           that follows it, so every token except the first is predicted once. The last context
///           may be shorter. Batch b holds the contexts order[b B], ..., where B is batch_size and
///           order is shuffled_order(count, seed, epoch), or the identity without shuffling
/// Requires  (C1) the text has at least two tokens  (C2) length >= 1  (C3) batch_size >= 1
/// Throws    ContractError
std::vector<ContextBatch> make_contexts(const std::vector<std::int32_t>& text,
                                        const ContextOptions& options);

/// Returns the number of batches into which make_contexts divides a text with `tokens` tokens.
std::size_t count_context_batches(std::size_t tokens, const ContextOptions& options);

}  // namespace normproof::ref::data
