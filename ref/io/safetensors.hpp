#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the tensors of a .safetensors file in ascending byte order of their names. The text of
/// __metadata__ is checked and ignored.
///
/// Source    the format as described at github.com/huggingface/safetensors: the length of the
///           header (8 bytes, little-endian), a JSON object of name -> {dtype, shape,
///           data_offsets}, the elements without gaps
/// Throws    FileError that names `file`, the tensor and the expectation. It is thrown for a length
///           beyond the file (or beyond 100,000,000, the format's limit), a header that is not
///           JSON, nests deeper than kMaxJsonNesting or has a duplicate key, an unknown dtype or
///           field, data_offsets that overlap, leave gaps, disagree with shape and dtype or do not
///           cover the file, a boolean other than 0 or 1, an odd number of elements of 4 bits
std::vector<StoredTensor> decode_safetensors(std::span<const std::byte> bytes,
                                             std::string_view file);

/// Returns the bytes of a .safetensors file. The same tensors give the same bytes. Header keys are
/// in ascending order without spaces between them, and the header is padded with spaces to a
/// multiple of 8 bytes. Tensors are ordered by descending item_size, then by ascending name, so
/// that every tensor is aligned to the size of its elements.
///
/// Requires  the requirements of sorted_by_name
///           (C4) no tensor is called __metadata__; a tensor of float4_e2m1fn, of which a byte
///           holds two elements, has an even number of them
/// Throws    ContractError
std::vector<std::byte> encode_safetensors(std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
