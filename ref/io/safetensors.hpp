#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// The tensors of a .safetensors file in ascending byte order of their names. The text of
/// __metadata__ is checked and left aside.
///
/// Source    the format as described at github.com/huggingface/safetensors: the length of the
///           header (8 bytes, little-endian), a JSON object of name -> {dtype, shape,
///           data_offsets}, the elements without holes
/// Throws    FileError that names `file`, the tensor and the expectation: a length beyond the file
///           (or beyond 100,000,000, the format's limit), a header that is not JSON, nests deeper
///           than kMaxJsonNesting or has a key twice, an unknown dtype or field, data_offsets that
///           overlap, leave holes, disagree with shape and dtype or do not cover the file, a
///           boolean other than 0 or 1
std::vector<StoredTensor> decode_safetensors(std::span<const std::byte> bytes,
                                             std::string_view file);

/// The same tensors give the same bytes: header keys in ascending order without spaces between, the
/// header padded with spaces to a multiple of 8 bytes; elements in descending item_size, then
/// ascending name, so that every tensor is aligned to its own elements.
///
/// Requires  those of sorted_by_name; (C4) no tensor is called __metadata__
/// Throws    ContractError
std::vector<std::byte> encode_safetensors(std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
