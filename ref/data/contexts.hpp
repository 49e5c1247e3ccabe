#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::data {

/// What a position of a context without a token is to predict.
inline constexpr int kNoTarget = -1;

/// Contexts of a text, [B,T] in row-major order.
struct ContextBatch {
  std::size_t batch_size = 0;        // B
  std::size_t seq_len = 0;           // T
  std::vector<std::int32_t> tokens;  // [B,T]; 0 where not valid
  std::vector<std::uint8_t> valid;   // [B,T] 1 = a token of the text
  std::vector<int> targets;          // [B,T] the token that follows; kNoTarget where not valid
  bool operator==(const ContextBatch&) const = default;
};

struct ContextOptions {
  std::size_t length = 64;      ///< T
  std::size_t batch_size = 16;  ///< of contexts; the last batch has what is left
  /// False: contexts keep the order of the text.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
};

/// One epoch of a text in batches of contexts.
///
/// Computes  context k has the tokens k T, ..., k T + T - 1, and predicts of each the one that
///           follows it: every token but the first is predicted once. The last context may be
///           shorter. Batch b holds the contexts order[b B], ..., order being shuffled_order(count,
///           seed, epoch) or the identity
/// Requires  (C1) the text has two tokens at least  (C2) length >= 1  (C3) batch_size >= 1
/// Throws    ContractError
std::vector<ContextBatch> make_contexts(const std::vector<std::int32_t>& text,
                                        const ContextOptions& options);

/// The batches of an epoch.
std::size_t count_context_batches(std::size_t tokens, const ContextOptions& options);

}  // namespace normproof::ref::data
