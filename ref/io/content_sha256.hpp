#pragma once

#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// SHA-256 over the tensors in ascending order of names, each as name, dtype and shape in a line
/// and its little-endian bytes: what a tensor says, whatever the container.
std::string content_sha256(const std::vector<StoredTensor>& tensors);

}  // namespace normproof::ref::io
