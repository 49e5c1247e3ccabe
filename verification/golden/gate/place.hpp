#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace normproof::verification::golden::gate {

/// Where the wrong elements of a tensor lie, in words that tell a remainder from a formula: "every
/// element", "the last row", "columns 1024 to 1199", "columns 3 modulo 8", "7 of 120 elements".
/// Rows are all axes but the last.
///
/// Requires  (C1) wrong: numbers of elements in C order, ascending, each below their product
std::string place_of(const std::vector<std::size_t>& wrong, const std::vector<std::size_t>& shape);

}  // namespace normproof::verification::golden::gate
