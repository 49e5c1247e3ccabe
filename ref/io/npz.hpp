#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the arrays of a NumPy archive (a zip file of .npy files, stored or deflated) in
/// ascending byte order of their names. An archive may have no arrays.
///
/// A tensor of an 8-bit floating-point format is stored as an array of bytes (uint8), and the
/// array's name ends with the dtype: the tensor x is stored as "x.float8_e5m2".
///
/// Source    NumPy, numpy.savez and numpy.savez_compressed
/// Throws    FileError that names `file`, the array and the expectation. It is thrown if the file
///           is not a zip archive, is inconsistent, truncated, altered (CRC-32) or encrypted, or
///           has an entry that is not a .npy file, a duplicate name, or an array that decode_npy
///           rejects. It is also thrown if a claimed length is impossible for the file's size, or
///           if all lengths together exceed `max_bytes`. So memory is limited in proportion to the
///           file
std::vector<StoredTensor> decode_npz(std::span<const std::byte> bytes, std::string_view file,
                                     std::size_t max_bytes = static_cast<std::size_t>(-1));

/// Returns the bytes of an archive that numpy.load opens without allow_pickle. The same tensors
/// give the same bytes: entries are in ascending order of names and dated 1980-01-01. They are not
/// compressed, because compressed bytes would depend on the version of zlib.
///
/// Requires  the requirements of sorted_by_name and, except for 8-bit formats, of encode_npy; (C4)
///           the name of an array has at most 65531 bytes
/// Throws    ContractError
std::vector<std::byte> encode_npz(std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
