#pragma once

#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the SHA-256 of the tensors, taken in ascending order of their names. The hashed data
/// are, for each tensor, a line with its name, dtype and shape, then its little-endian bytes. So
/// the hash depends on the tensors but not on the file format.
std::string content_sha256(const std::vector<StoredTensor>& tensors);

}  // namespace normproof::ref::io
