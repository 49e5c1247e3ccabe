#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace normproof::ref::data {

/// The number of sentences of the default text.
inline constexpr std::size_t default_synthetic_text_sentences = 800;

/// Returns an invented text with a toy grammar, so that a language model can be trained without a
/// file.
///
/// Computes  one sentence per line. Sentence i depends only on the numbers RandomStream(seed,
///           "synthetic text").below(16 i + k, .) with k = 0, 1, ... So a longer text of the same
///           seed begins with the shorter one. A sentence has a subject, a verb that agrees with
///           the subject's number, an object and, in two of five sentences, a place. The text is
///           ASCII
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
std::string synthetic_text(std::uint64_t seed,
                           std::size_t count = default_synthetic_text_sentences);

}  // namespace normproof::ref::data
