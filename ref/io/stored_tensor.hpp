#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::io {

/// The type of the elements of a tensor. A byte b of float8_e8m0fnu is a scale: the power of two
/// 2^(b-127), or NaN if b is 255 [RZM+23]. int8 is a format to which reals are rounded, and not a
/// type of indices. An element of float4_e2m1fn is the lower half of a byte, whose upper half is 0.
/// Files hold two such elements in a byte.
enum class DType {
  float64,
  float32,
  float16,
  bfloat16,
  int64,
  int32,
  uint8,
  boolean,
  float8_e4m3fn,
  float8_e5m2,
  float8_e8m0fnu,
  int8,
  float4_e2m1fn
};
/// All dtypes, in the order of DType. The C interface uses the same order, so a new dtype must be
/// added at the end.
inline constexpr DType kDTypes[] = {
    DType::float64,       DType::float32,     DType::float16,        DType::bfloat16,
    DType::int64,         DType::int32,       DType::uint8,          DType::boolean,
    DType::float8_e4m3fn, DType::float8_e5m2, DType::float8_e8m0fnu, DType::int8,
    DType::float4_e2m1fn};

/// Returns the number of bytes of one element in memory.
std::size_t item_size(DType dtype);

/// Returns the floating-point format of the dtype. For integers, booleans and scales the result is
/// empty.
std::optional<numeric::FloatType> float_type(DType dtype);
bool is_float(DType dtype);
/// Whether the elements are integers or booleans.
bool is_integer_or_boolean(DType dtype);

/// Returns the name of the dtype, such as "float64".
std::string_view to_string(DType dtype);
/// Returns the dtype with the name `name`. If there is none, the result is empty.
std::optional<DType> find_dtype(std::string_view name);
/// Returns the names of the dtypes for which `wanted` is true, as text for messages: "float64,
/// float32 or ...".
std::string list_dtypes(bool (*wanted)(DType));

/// A tensor as it is stored in a file: its bytes are not converted.
struct StoredTensor {
  std::string name;
  DType dtype = DType::float64;
  std::vector<std::size_t> shape;  ///< [] is a scalar; an extent may be 0
  std::vector<std::byte> bytes;    ///< little-endian, C order (the last axis varies fastest)

  bool operator==(const StoredTensor&) const = default;
};

/// Returns the number of bytes of a tensor: the product of the extents times item_size(dtype). If
/// the product of all nonzero extents does not fit in 63 bits, the result is empty. So if there is
/// a result, the strides do not overflow.
std::optional<std::size_t> byte_size(DType dtype, std::span<const std::size_t> shape);

/// Returns every element as a double, exactly. The conversion uses only integer operations, so it
/// does not depend on how the machine handles NaN and subnormal numbers. A NaN keeps its sign, its
/// quiet bit and its payload. A boolean becomes 0 or 1, and a scale becomes its power of two.
///
/// Requires  (C1) bytes.size() == byte_size(dtype, shape)
///           (C2) an int64 is at most 2^53 in magnitude
///           (C3) a byte of a boolean is 0 or 1, and a byte of float4_e2m1fn is at most 15
/// Throws    ContractError that names the tensor and the element
std::vector<double> widen(const StoredTensor& tensor);

/// Returns a tensor of float64 or int64 from its elements in C order.
///
/// Requires  (C1) values.size() is the product of the extents
StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const double> values);
StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const std::int64_t> values);

/// Returns a tensor of any dtype from its elements in C order.
///
/// Requires  (C1) values.size() is the product of the extents
///           (C2) the dtype can represent each value: a float exactly, an integer as an integer in
///           its range, a boolean as 0 or 1, a scale as a power of two from 2^-127 to 2^127; a
///           dtype with one NaN represents every NaN
/// Throws    ContractError that names the tensor and the element
StoredTensor make_tensor(std::string name, DType dtype, std::vector<std::size_t> shape,
                         std::span<const double> values);

/// Checks the tensors, and returns pointers to them in ascending byte order of their names. The
/// writers of all file formats need these checks.
///
/// Requires  (C1) names are UTF-8, not empty, without NUL, and no two are equal
///           (C2) bytes.size() == byte_size(dtype, shape)
///           (C3) a byte of a boolean is 0 or 1, and a byte of float4_e2m1fn is at most 15
/// Throws    ContractError that names `function` and the tensor
std::vector<const StoredTensor*> sorted_by_name(std::string_view function,
                                                std::span<const StoredTensor> tensors);

/// Returns the index of the first byte that is no element of the dtype: neither 0 nor 1 in a
/// boolean, above 15 in float4_e2m1fn. If there is no such byte, or if the tensor has another
/// dtype, the result is empty.
std::optional<std::size_t> find_invalid_byte(const StoredTensor& tensor);
/// Returns what the bytes of a dtype may be, as text for messages: "0 or 1 in a boolean".
std::string_view valid_bytes(DType dtype);

/// Returns the elements of float4_e2m1fn two to a byte, the first one in the lower half. If their
/// number is odd, the last upper half is 0.
std::vector<std::byte> pack_halves(std::span<const std::byte> elements);
/// Returns `count` elements of float4_e2m1fn from bytes that hold two of them.
/// Requires  (C1) bytes.size() == (count + 1) / 2
std::vector<std::byte> unpack_halves(std::span<const std::byte> bytes, std::size_t count);

}  // namespace normproof::ref::io
