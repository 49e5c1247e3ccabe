#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the tensors of a .npz or .safetensors file, depending on its suffix, in ascending byte
/// order of their names.
///
/// Requires  the suffix is .npz or .safetensors, in lower case; a regular file of at most
///           `max_bytes`, and an archive must not exceed that when unpacked
/// Throws    UsageError for the suffix; FileError as read_file, decode_npz and decode_safetensors
std::vector<StoredTensor> read_tensors(const std::filesystem::path& path,
                                       std::size_t max_bytes = static_cast<std::size_t>(-1));

/// Checks, before the work, that a file of tensors may have that name.
/// Throws    UsageError for the suffix
void check_tensor_file(const std::filesystem::path& path);

/// Replaces the file completely or not at all (write_file). The same tensors give the same bytes.
///
/// Requires  a suffix as above; those of encode_npz or encode_safetensors
/// Throws    UsageError for the suffix; ContractError as the encoders; FileError as write_file
void write_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
