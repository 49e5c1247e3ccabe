#pragma once

#include <string>

#include "ref/io/stored_tensor.hpp"

namespace normproof::verification::golden::gate {

using ref::io::StoredTensor;

/// Detects an output that is stored in a wider dtype than expected and was never rounded to the
/// expected dtype.
///
/// Computes  a text such as "is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 of 6
///           elements)". The text names the first element that the expected dtype cannot represent.
///           The result is "" if the expected dtype has more than 16 bits, if the output is not
///           wider than expected, and if the expected dtype can represent every element. It is
///           also "" for `sum`, which a kernel may store in float32. NaN can always be represented
std::string describe_excess_digits(const StoredTensor& expected, const StoredTensor& answer);

}  // namespace normproof::verification::golden::gate
