#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Reads one array in NumPy's .npy format.
///
/// Source    NumPy, numpy.lib.format: "\x93NUMPY", a version, the length of the header, a Python
///           dictionary of descr, fortran_order and shape, then the elements
/// Computes  accepts versions 1.0, 2.0 and 3.0; converts f8, f4, f2, i8, i4, i1, u1 and b1 in
///           either byte order to little-endian, and Fortran order to C order
/// Throws    FileError that names `file`, the array and the expectation. It is thrown for anything
///           else: other dtypes (object, complex, structured ...), a length that disagrees with the
///           shape, a boolean other than 0 or 1
StoredTensor decode_npy(std::span<const std::byte> bytes, std::string name, std::string_view file);

/// Whether NumPy has the dtype. It does not have bfloat16 and the 8-bit floating-point formats.
bool is_known_to_npy(DType dtype);

/// Returns the bytes of an array as numpy.save writes them: version 1.0, C order, little-endian.
/// The header is padded by the smallest number of spaces that aligns the elements to 64 bytes.
///
/// Requires  (C1) is_known_to_npy(dtype)  (C2) there are at most 32 axes, as in NumPy
///           (C3) bytes.size() == byte_size(dtype, shape)
/// Throws    ContractError
std::vector<std::byte> encode_npy(const StoredTensor& tensor);

}  // namespace normproof::ref::io
