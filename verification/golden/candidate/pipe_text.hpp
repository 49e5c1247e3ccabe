#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::candidate {

using corpus::Case;
using ref::io::StoredTensor;

/// Writes a case as one line of words separated by single spaces, as a candidate reads it on
/// standard input (docs/guide/formats.md, Golden):
///
///   quick/layer_norm/odd-2x3-float32 layer_norm training eps=1e-05 x:float32:2x3 0x1.8p+0 ...
///
/// The words are the path, the layer, the mode, `sequence` if there is an axis of steps, every
/// option as name=value, then each tensor as name:dtype:shape followed by its elements in C order.
/// Elements are hexadecimal, inf or nan; int64 elements are integers, booleans 0 or 1.
std::string to_line(const Case& c);

/// Writes the line of a candidate's output: the path of the case, then each tensor.
std::string output_line(const std::string& path, const std::vector<StoredTensor>& tensors);

/// Returns the reason given in a line that declines the case ("" if it gives none), or nothing if
/// the line does not decline it. Such a line consists of the path, `not_offered` and any words. At
/// most 1000 bytes of the reason are kept.
std::optional<std::string> decline_reason(std::string_view line, const std::string& path);

/// Returns the text of a line in which the candidate reports an error, or nothing if the line
/// reports none. Such a line consists of the path, `error` and any words. At most 1000 bytes of the
/// text are kept.
std::optional<std::string> error_of(std::string_view line, const std::string& path);

/// Reads the tensors of a candidate's line: the path of the case, then each output in the format of
/// to_line.
/// Throws    FileError, one sentence: a different path, a word that is not a number, more or fewer
///           elements than the shape has, an unknown dtype, an element that the dtype cannot hold
std::vector<StoredTensor> parse_output_line(std::string_view line, const std::string& path);

}  // namespace normproof::verification::golden::candidate
