#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace normproof::verification::golden::gate {

/// Describes where the wrong elements of a tensor are. The description helps to tell a wrong
/// formula from an error in the last, incomplete iteration of a loop. Examples: "every element",
/// "the last row", "columns 1024 to 1199", "columns 3 modulo 8", "7 of 120 elements". A row is one
/// index of all axes except the last.
///
/// Requires  (C1) wrong: flat indices in C order, ascending, each less than the number of elements
std::string describe_error_location(const std::vector<std::size_t>& wrong,
                                    const std::vector<std::size_t>& shape);

}  // namespace normproof::verification::golden::gate
