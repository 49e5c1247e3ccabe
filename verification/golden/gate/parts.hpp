#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

/// The elements of an output that depend on the same part of the inputs. Elements that are not
/// finite, or have an infinite bound, are left out.
struct Part {
  bool accepts_zeros = true;  ///< zeros in place of all elements would be within their bounds
  bool is_zero = true;        ///< all elements are 0
  std::size_t judged = 0;     ///< number of elements
  /// The smallest bound divided by the magnitude of its element; infinite if all elements are 0.
  double smallest_error = std::numeric_limits<double>::infinity();

  /// Whether the bounds say nothing: zeros are within them, although they are not the result.
  bool is_vacuous() const { return accepts_zeros && !is_zero; }
};

/// Returns the number of consecutive elements of an output that form a part: 1 for an operation on
/// elements, a row for y, sum and grad_x of an operation on rows, and `size`, the whole output,
/// otherwise.
std::size_t elements_per_part(const corpus::Case& c, std::string_view output, std::size_t size);

/// Adds elements of an output to its parts. `begin` is the index of the first element.
void add_to_parts(const JudgedValues& judged, std::size_t begin, std::size_t elements_per_part,
                  std::vector<Part>& parts);

/// Returns the parts of an output.
/// Requires  the conditions of compute_judged_values
std::vector<Part> find_parts(const certify::StoredCase& stored,
                             const std::vector<ref::io::StoredTensor>& answer,
                             const std::string& name, const tolerance::Tolerance& bounds);

/// Returns the number of elements in the selected parts that are not among `failed`, the indices of
/// elements in ascending order.
std::size_t count_passed(const std::vector<Part>& parts, const std::vector<bool>& selected,
                         std::size_t elements_per_part, const std::vector<std::size_t>& failed);

}  // namespace normproof::verification::golden::gate
