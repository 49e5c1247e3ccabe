#pragma once

#include <string>

#include "ref/io/stored_tensor.hpp"

namespace normproof::verification::golden::gate {

using ref::io::StoredTensor;

/// Detects an output that is stored in a wider dtype than the case has and was never rounded to it.
///
/// Computes  a text such as "is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 of 6
///           elements)" if a 16-bit tensor is expected and the output has a wider dtype and
///           elements that 16 bits cannot represent. The text names the first such element. The
///           result is "" if every element can be represented, if the output is not wider, and for
///           `sum`, which a kernel may store in float32. NaN can always be represented
std::string describe_excess_digits(const StoredTensor& expected, const StoredTensor& answer);

}  // namespace normproof::verification::golden::gate
