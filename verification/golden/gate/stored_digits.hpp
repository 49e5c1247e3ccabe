#pragma once

#include <string>

#include "ref/io/stored_tensor.hpp"

namespace normproof::verification::golden::gate {

using ref::io::StoredTensor;

/// What an answer of a wider dtype leaves unseen: whether it was ever stored in that of the case.
///
/// Computes  "is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 of 6 elements)" where a
///           16-bit tensor is expected and a wider one has elements that 16 bits do not hold, the
///           first of them; "" where all are on the grid, or nothing wider is stored, and for
///           `sum`, which a kernel may keep. NaN is on it
std::string finer_than_expected(const StoredTensor& expected, const StoredTensor& answer);

}  // namespace normproof::verification::golden::gate
