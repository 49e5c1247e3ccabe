#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

/// Returns the number of consecutive elements of an output that depend on the same part of the
/// inputs: 1 for an operation on elements, a row for y, sum and grad_x of an operation on rows, and
/// `size`, the whole output, otherwise.
std::size_t elements_per_part(const corpus::Case& c, std::string_view output, std::size_t size);

/// Returns, for each element of an output, whether its bound says nothing: zeros in place of the
/// whole part would be within the bounds, although they are not the result. If an element of the
/// part is not finite, or has an infinite bound, the other elements decide.
std::vector<bool> find_vacuous_bounds(const JudgedValues& judged, std::size_t elements_per_part);

}  // namespace normproof::verification::golden::gate
