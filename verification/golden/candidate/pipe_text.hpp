#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::candidate {

using corpus::Case;
using ref::io::StoredTensor;

/// Writes a case as one line of words separated by single spaces. A candidate reads this line on
/// standard input (docs/guide/formats.md, Golden). For example:
///
///   quick/layer_norm/odd-2x3-float32 layer_norm training eps=1e-05 x:float32:2x3 0x1.8p+0 ...
///
/// The words are, in this order:
/// - the path of the case, the operation and the mode,
/// - `sequence` if there is an axis of steps,
/// - every option as name=value,
/// - each tensor as name:dtype:shape followed by its elements in C order.
/// Floating-point elements are hexadecimal, inf or nan. int64 elements are decimal integers, and
/// booleans are 0 or 1.
std::string case_to_line(const Case& c);

/// Writes a candidate's line of output: the path of the case, then each tensor as in case_to_line.
std::string output_line(const std::string& path, const std::vector<StoredTensor>& tensors);

/// Returns the reason given in a line that declines the case, or "" if the line gives no reason.
/// Returns nothing if the line does not decline the case. A line that declines consists of the
/// path, the word `not_offered` and any further words. At most 1000 bytes of the reason are
/// returned.
std::optional<std::string> parse_decline_line(std::string_view line, const std::string& path);

/// Returns the text of a line in which the candidate reports an error. Returns nothing if the line
/// reports no error. A line that reports an error consists of the path, the word `error` and any
/// further words. At most 1000 bytes of the text are returned.
std::optional<std::string> parse_error_line(std::string_view line, const std::string& path);

/// Reads the tensors from a candidate's line of output. The line contains the path of the case,
/// then each output in the format of case_to_line.
/// Throws    FileError with one sentence, if the line has a different path, a word that is not a
///           number, more or fewer elements than the shape has, an unknown dtype, or an element
///           that the dtype cannot represent
std::vector<StoredTensor> parse_output_line(std::string_view line, const std::string& path);

}  // namespace normproof::verification::golden::candidate
