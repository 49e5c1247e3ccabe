#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::ref::data {

/// Returns the bytes of a regular file or a pipe, unchanged.
/// Throws    FileError naming the path if it is absent, is a directory or a device, or cannot be
///           read
std::string read_bytes(const std::filesystem::path& path);

/// Returns the bytes in double quotes, so that they are safe in a message: every byte outside of
/// printable ASCII is written as \xNN, and after 40 bytes the text is cut, with "..." after the
/// closing quote.
std::string in_quotes(std::string_view bytes);

/// Throws the sentence "<name>:<line>: <observation>; expected <expectation>" as a FileError; lines
/// count from 1.
[[noreturn]] void line_failure(std::string_view name, std::size_t line,
                               std::string_view observation, std::string_view expectation);

}  // namespace normproof::ref::data
