#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace normproof::ref::data {

/// The number of sentences of the default text.
inline constexpr std::size_t default_synthetic_text_sentences = 800;

/// Returns an invented text of a toy grammar, so that a language model runs without a file.
///
/// Computes  sentence i, one line, depends only on the numbers RandomStream(seed, "synthetic
///           text").below(16 i + k, .) with k = 0, 1, ..., so a longer text of the same seed begins
///           with the shorter one. It has a subject, a verb that agrees with its number, an object,
///           and in two of five sentences a place; ASCII
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
std::string synthetic_text(std::uint64_t seed,
                           std::size_t count = default_synthetic_text_sentences);

}  // namespace normproof::ref::data
