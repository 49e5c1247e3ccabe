#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::candidate {

using corpus::Case;
using ref::io::StoredTensor;

/// A case in one line of words, single spaces between them, as a candidate reads it on standard
/// input (docs/guide/formats.md, Golden):
///
///   quick/layer_norm/odd-2x3-float32 layer_norm training eps=1e-05 x:float32:2x3 0x1.8p+0 ...
///
/// The path, the layer, the mode, `sequence` where there is an axis of steps, every option as
/// name=value, then each tensor as name:dtype:shape and its elements in C order: hexadecimal, inf,
/// nan; whole numbers for int64, 0 and 1 for booleans.
std::string to_line(const Case& c);

/// The answer to it: the path, then each tensor.
std::string answer_line(const std::string& path, const std::vector<StoredTensor>& tensors);

/// What an answer says that declines the case, "" where it gives no reason; nothing where it does
/// not: its path and `not_offered`, then any words.
std::optional<std::string> declined_because(std::string_view line, const std::string& path);

/// What an answer says that is an error of the candidate's own: the path, `error`, then any words.
/// Nothing where it is none. Of either text no more than 1000 bytes are kept.
std::optional<std::string> error_of(std::string_view line, const std::string& path);

/// The tensors of an answer: the path of the case, then each output as in to_line.
/// Throws    FileError, one sentence: another path, a word that is no number, more or fewer
///           elements than the shape has, an unknown dtype, an element that the dtype does not hold
std::vector<StoredTensor> parse_answer(std::string_view line, const std::string& path);

}  // namespace normproof::verification::golden::candidate
