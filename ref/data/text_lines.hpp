#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Returns the lines of a text, without their LFs. The LF of the last line may be absent.
std::vector<std::string> split_lines(std::string_view bytes);

/// Checks that a line is not empty, is UTF-8, and has no NUL and no CR. The first line must not
/// begin with a byte order mark. `kind`, such as "token", is the word for the line's content in the
/// error message.
/// Throws    FileError that names `name`, the number of the line (the first is 1) and the
///           expectation
void check_line(std::string_view line, std::string_view kind, std::string_view name,
                std::size_t number, std::string_view expectation);

/// Returns the words of a line. Words are separated by one or more spaces; no word is empty.
std::vector<std::string_view> split_words(std::string_view line);

}  // namespace normproof::ref::data
