#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// The tensors of a .npz or .safetensors file (by the suffix of its name) in ascending byte order
/// of their names.
///
/// Requires  the suffix is .npz or .safetensors, in small letters; a regular file of at most
///           `most_bytes`, which an archive does not exceed when it is unpacked, either
/// Throws    UsageError of the suffix; FileError as read_file, decode_npz and decode_safetensors
std::vector<StoredTensor> read_tensors(const std::filesystem::path& path,
                                       std::size_t most_bytes = static_cast<std::size_t>(-1));

/// Whether a file of tensors may have that name, before the work.
/// Throws    UsageError of the suffix
void check_tensor_file(const std::filesystem::path& path);

/// Replaces the file wholly or not at all (write_file); the same tensors give the same bytes.
///
/// Requires  the suffix as above; those of encode_npz or encode_safetensors
/// Throws    UsageError of the suffix; ContractError as the encoders; FileError as write_file
void write_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
