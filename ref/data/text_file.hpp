#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::ref::data {

/// Returns the bytes of a regular file or a pipe, unchanged.
/// Throws    FileError that names the path. It is thrown if the file is absent, is a directory or a
///           device, or cannot be read
std::string read_bytes(const std::filesystem::path& path);

/// Returns the bytes in double quotes, so that an error message can contain them. Every byte
/// outside of printable ASCII is written as \xNN. If there are more than 40 bytes, the rest is
/// omitted, and "..." follows the closing quote.
std::string quote_bytes(std::string_view bytes);

/// Throws a FileError with the message "<name>:<line>: <observation>; expected <expectation>".
/// Lines count from 1.
[[noreturn]] void line_failure(std::string_view name, std::size_t line,
                               std::string_view observation, std::string_view expectation);

}  // namespace normproof::ref::data
