#pragma once

#include <string>

#include "ref/io/stored_tensor.hpp"

namespace normproof::verification::golden::gate {

using ref::io::StoredTensor;

/// Detects an output in a wider dtype that was never rounded to the dtype of the case.
///
/// Computes  "is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 of 6 elements)" if a
///           16-bit tensor is expected and a wider one has elements that 16 bits cannot hold; the
///           element named is the first. "" if every element fits, if the output is not wider, and
///           for `sum`, which a kernel may keep in float32. NaN always fits
std::string describe_excess_digits(const StoredTensor& expected, const StoredTensor& answer);

}  // namespace normproof::verification::golden::gate
