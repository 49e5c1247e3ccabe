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

/// float8_e8m0fnu is a scale: the power of two 2^(b-127) of its byte b, NaN for 255 [RZM+23].
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
  float8_e8m0fnu
};
/// In the order of the enumerators, which the C interface has too: a new one goes to the end.
inline constexpr DType kDTypes[] = {DType::float64,     DType::float32,       DType::float16,
                                    DType::bfloat16,    DType::int64,         DType::int32,
                                    DType::uint8,       DType::boolean,       DType::float8_e4m3fn,
                                    DType::float8_e5m2, DType::float8_e8m0fnu};

/// Bytes of one element.
std::size_t item_size(DType dtype);

/// Its row in the table of number formats; nothing of an integer, of a boolean and of a scale.
std::optional<numeric::FloatType> float_type(DType dtype);
bool is_float(DType dtype);
/// Whether its elements are whole numbers: an integer or a boolean.
bool is_whole(DType dtype);

/// The enumerator's own name, such as "float64".
std::string_view to_string(DType dtype);
/// The dtype of that name; nothing where there is none.
std::optional<DType> find_dtype(std::string_view name);
/// For messages: "float64, float32 or ...", those that `wanted` takes.
std::string list_dtypes(bool (*wanted)(DType));

/// A tensor as a file holds it: nothing is converted.
struct StoredTensor {
  std::string name;
  DType dtype = DType::float64;
  std::vector<std::size_t> shape;  ///< [] is a scalar; an extent may be 0
  std::vector<std::byte> bytes;    ///< little-endian, C order (the last axis varies fastest)

  bool operator==(const StoredTensor&) const = default;
};

/// Computes  the product of the extents times item_size(dtype); nothing where the product of the
///           extents that are not 0 does not fit in 63 bits, so that no stride can overflow either
std::optional<std::size_t> byte_size(DType dtype, std::span<const std::size_t> shape);

/// Every element as a double, exactly, whatever the machine does with NaN: a float is widened by
/// bits, subnormals and infinities included, and a NaN keeps its sign, its quiet bit and its
/// payload. A boolean becomes 0 or 1, a scale the power of two that it is.
///
/// Requires  (C1) bytes.size() == byte_size(dtype, shape)  (C2) an int64 is at most 2^53 in
///           magnitude  (C3) a byte of a boolean is 0 or 1
/// Throws    ContractError that names the tensor and the element
std::vector<double> widen(const StoredTensor& tensor);

/// A tensor of float64 or int64 from its elements in C order.
///
/// Requires  (C1) values.size() is the product of the extents
StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const double> values);
StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const std::int64_t> values);

/// A tensor of any dtype, its elements in C order.
///
/// Requires  (C1) values.size() is the product of the extents  (C2) the dtype holds each value: a
///           float its bits, an integer a whole number in its range, a boolean 0 or 1, a scale a
///           power of two from 2^-127 to 2^127; a dtype with one NaN holds every NaN
/// Throws    ContractError that names the tensor and the element
StoredTensor make_tensor(std::string name, DType dtype, std::vector<std::size_t> shape,
                         std::span<const double> values);

/// The tensors in ascending byte order of their names: what the writers of every format need.
///
/// Requires  (C1) names are UTF-8, not empty, hold no NUL, and no two are equal
///           (C2) bytes.size() == byte_size(dtype, shape)  (C3) a byte of a boolean is 0 or 1
/// Throws    ContractError that names `function` and the tensor
std::vector<const StoredTensor*> sorted_by_name(std::string_view function,
                                                std::span<const StoredTensor> tensors);

/// The index of the first byte of a boolean tensor that is neither 0 nor 1; nothing for others.
std::optional<std::size_t> find_bad_boolean(const StoredTensor& tensor);

}  // namespace normproof::ref::io
