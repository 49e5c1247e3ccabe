#pragma once

#include <string_view>

namespace normproof::ref::io {

/// Computes  the sentence "<file>: <field> <observation>; expected <expectation>" and throws it as
///           a FileError. What comes out of a file may hold anything, so a control character is
///           shown as '?': the sentence stays on one line.
[[noreturn]] void file_failure(std::string_view file, std::string_view field,
                               std::string_view observation, std::string_view expectation);

}  // namespace normproof::ref::io
