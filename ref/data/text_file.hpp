#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::ref::data {

/// Computes  the bytes of a regular file or a pipe, unchanged
/// Throws    FileError naming the path where it is absent, is a directory or a device, or cannot be
///           read
std::string read_bytes(const std::filesystem::path& path);

/// Computes  the bytes in double quotes, every one outside printable ASCII as \xNN, cut after 40
///           bytes with "..." after the closing quote: safe in a message
std::string in_quotes(std::string_view bytes);

/// Computes  the sentence "<name>:<line>: <observation>; expected <expectation>" (lines count from
///           1) and throws it as a FileError.
[[noreturn]] void line_failure(std::string_view name, std::size_t line,
                               std::string_view observation, std::string_view expectation);

}  // namespace normproof::ref::data
