#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Reads the tensors of a .npz or .safetensors file. The suffix of the path determines the format.
/// Returns the tensors in ascending byte order of their names.
///
/// Requires  the suffix is .npz or .safetensors, in lower case; the file is a regular file of at
///           most `max_bytes` bytes, and an archive does not exceed this size when unpacked
/// Throws    UsageError if the suffix is wrong; FileError if read_file, decode_npz or
///           decode_safetensors throws one
std::vector<StoredTensor> read_tensors(const std::filesystem::path& path,
                                       std::size_t max_bytes = static_cast<std::size_t>(-1));

/// Checks that the suffix of the path is one that read_tensors and write_tensors support. Programs
/// call this function before long computations.
/// Throws    UsageError if the suffix is not supported
void check_tensor_file(const std::filesystem::path& path);

/// Writes tensors to a file, either completely or not at all (write_file). The same tensors give
/// the same bytes.
///
/// Requires  the suffix is .npz or .safetensors, in lower case; the requirements of encode_npz or
///           encode_safetensors
/// Throws    UsageError if the suffix is wrong; ContractError if the requirements are violated;
///           FileError if write_file throws one
void write_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
