#pragma once

#include <string_view>

namespace normproof::ref::io {

/// Throws a FileError with the message "<file>: <field> <observation>; expected <expectation>".
/// Text from a file may contain anything, so control characters are printed as '?' and the message
/// stays on one line.
[[noreturn]] void file_failure(std::string_view file, std::string_view field,
                               std::string_view observation, std::string_view expectation);

}  // namespace normproof::ref::io
