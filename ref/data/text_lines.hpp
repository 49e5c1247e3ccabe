#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Computes  what stands between the LFs of a text; the last line may lack its own
std::vector<std::string> split_lines(std::string_view bytes);

/// Checks that a line holds something, in UTF-8, without NUL and CR, the first one without a byte
/// order mark.
/// Computes  nothing; `kind` is what the sentence calls the line's text, "token"
/// Throws    FileError naming `name`, the number of the line from 1, and the expectation
void check_line(std::string_view line, std::string_view kind, std::string_view name,
                std::size_t number, std::string_view expectation);

/// The words of a line: what stands between its spaces, however many, without empty ones.
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace normproof::ref::data
