#pragma once

#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the SHA-256 of the tensors in ascending order of names. Each tensor contributes a line
/// with its name, dtype and shape, and its little-endian bytes. So the hash depends on the contents
/// but not on the file format.
std::string content_sha256(const std::vector<StoredTensor>& tensors);

}  // namespace normproof::ref::io
