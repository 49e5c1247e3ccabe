#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Returns the parts of a text between its LFs. The last line may lack its LF.
std::vector<std::string> split_lines(std::string_view bytes);

/// Checks that a line is not empty, is UTF-8, and has no NUL and no CR; the first line must not
/// have a byte order mark. `kind`, such as "token", is what the message calls the line's text.
/// Throws    FileError naming `name`, the number of the line from 1, and the expectation
void check_line(std::string_view line, std::string_view kind, std::string_view name,
                std::size_t number, std::string_view expectation);

/// Returns the words of a line, which any number of spaces separates, without empty ones.
std::vector<std::string_view> split_words(std::string_view line);

}  // namespace normproof::ref::data
