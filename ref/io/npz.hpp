#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// The arrays of a NumPy archive (a zip file of .npy files, stored or deflated) in ascending byte
/// order of their names. An archive without arrays is none.
///
/// A tensor of 8 bits of floating point is an array of its bytes, uint8, whose name ends in its
/// dtype: "x.float8_e5m2" for x.
///
/// Source    NumPy, numpy.savez and numpy.savez_compressed
/// Throws    FileError that names `file`, the array and the expectation: not a zip archive,
///           inconsistent, truncated or altered (CRC-32), encrypted, an entry that is no .npy file,
///           a name that occurs twice, an array that decode_npy refuses. Memory stays in proportion
///           to the file: a length is believed only as far as the file's own size bears it out,
///           and all of them together up to `most_bytes`
std::vector<StoredTensor> decode_npz(std::span<const std::byte> bytes, std::string_view file,
                                     std::size_t most_bytes = static_cast<std::size_t>(-1));

/// An archive that numpy.load opens without allow_pickle. The same tensors give the same bytes:
/// entries in ascending order of names, dated 1980-01-01, stored (deflated bytes would depend on
/// the version of zlib).
///
/// Requires  those of sorted_by_name and, but for 8 bits, encode_npy; (C4) the name of an array has
///           at most 65531 bytes
/// Throws    ContractError
std::vector<std::byte> encode_npz(std::span<const StoredTensor> tensors);

}  // namespace normproof::ref::io
