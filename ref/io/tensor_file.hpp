#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// The tensors of a .npz or .safetensors file (by the suffix of its name) in ascending byte order
/// of their names.
///
/// Requires  (C1) the suffix is .npz or .safetensors, in small letters
/// Throws    UsageError (C1); FileError as read_file, decode_npz and decode_safetensors
std::vector<StoredTensor> read_tensors(const std::filesystem::path& path);

/// Whether a file of tensors may have that name, before the work.
/// Throws    UsageError (C1)
void check_tensor_file(const std::filesystem::path& path);

/// Replaces the file wholly or not at all (write_file); the same tensors give the same bytes.
///
/// Requires  (C1) as above; and those of encode_npz or encode_safetensors
/// Throws    UsageError (C1); ContractError as the encoders; FileError as write_file
void write_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
