#include "ref/io/stored_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ref/numeric/assumptions.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/float_bits.hpp"

namespace normproof::ref::io {
namespace {

using numeric::Clause;
using numeric::contract_failure;
using numeric::FloatType;

struct DTypeRow {
  const char* name;
  std::size_t bytes;
  std::optional<FloatType> type;
};

constexpr DTypeRow row(FloatType type) {
  const numeric::FloatFormat& format = numeric::float_format_info(type);
  return {format.name, static_cast<std::size_t>(format.bytes), type};
}

/// The table of dtypes, in the order of DType.
constexpr DTypeRow kDTypeRows[] = {row(FloatType::float64),
                                   row(FloatType::float32),
                                   row(FloatType::float16),
                                   row(FloatType::bfloat16),
                                   {"int64", 8, {}},
                                   {"int32", 4, {}},
                                   {"uint8", 1, {}},
                                   {"boolean", 1, {}},
                                   row(FloatType::float8_e4m3fn),
                                   row(FloatType::float8_e5m2),
                                   {"float8_e8m0fnu", 1, {}},
                                   row(FloatType::int8),
                                   row(FloatType::float4_e2m1fn)};
static_assert(std::size(kDTypeRows) == std::size(kDTypes));

const DTypeRow& dtype_row(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  if (index >= std::size(kDTypeRows))
    contract_failure("DType", "dtype", "is no enumerator", "one of DType");
  return kDTypeRows[index];
}

template <typename Item>
Item load(const StoredTensor& tensor, std::size_t index) {
  Item item;
  std::memcpy(&item, tensor.bytes.data() + index * sizeof(Item), sizeof(Item));
  return item;
}

template <typename Item>
void store(StoredTensor& tensor, std::size_t index, Item item) {
  std::memcpy(tensor.bytes.data() + index * sizeof(Item), &item, sizeof(Item));
}

numeric::FloatBits load_bits(const StoredTensor& tensor, std::size_t index, std::size_t bytes) {
  switch (bytes) {
    case 8:
      return load<std::uint64_t>(tensor, index);
    case 4:
      return load<std::uint32_t>(tensor, index);
    case 2:
      return load<std::uint16_t>(tensor, index);
    default:
      return load<std::uint8_t>(tensor, index);
  }
}

void store_bits(StoredTensor& tensor, std::size_t index, std::size_t bytes,
                numeric::FloatBits bits) {
  std::memcpy(tensor.bytes.data() + index * bytes, &bits, bytes);  // little-endian
}

template <typename Item>
void store_integer(StoredTensor& tensor, std::size_t index, double value) {
  constexpr double kMinimum = static_cast<double>(std::numeric_limits<Item>::min());
  constexpr double kMaximum = static_cast<double>(std::numeric_limits<Item>::max());
  store(tensor, index,
        value >= kMinimum && value < kMaximum + 1 ? static_cast<Item>(value) : Item{0});
}

constexpr int kScaleExponentBias = 127;
constexpr std::uint8_t kNaNScaleByte = 255;

/// Returns the byte that encodes a scale, a power of two from 2^-127 to 2^127. For every other
/// number it returns the byte of NaN.
std::uint8_t encode_scale(double value) {
  int exponent = 0;
  if (!(std::frexp(value, &exponent) == 0.5)) return kNaNScaleByte;
  exponent += kScaleExponentBias - 1;
  return exponent < 0 || exponent >= kNaNScaleByte ? kNaNScaleByte
                                                   : static_cast<std::uint8_t>(exponent);
}

double decode_scale(std::uint8_t byte) {
  return byte == kNaNScaleByte ? std::numeric_limits<double>::quiet_NaN()
                               : numeric::exact_power_of_two(byte - kScaleExponentBias);
}

/// Whether the dtype can represent only one NaN.
bool has_one_nan(DType dtype) {
  return dtype == DType::float8_e4m3fn || dtype == DType::float8_e8m0fnu;
}

void store_element(StoredTensor& tensor, std::size_t index, double value) {
  if (const DTypeRow& row = dtype_row(tensor.dtype); row.type)
    return store_bits(tensor, index, row.bytes,
                      numeric::encode(numeric::float_format_info(*row.type), value));
  switch (tensor.dtype) {
    case DType::int64:
      return store_integer<std::int64_t>(tensor, index, value);
    case DType::int32:
      return store_integer<std::int32_t>(tensor, index, value);
    case DType::uint8:
      return store_integer<std::uint8_t>(tensor, index, value);
    case DType::float8_e8m0fnu:
      return store(tensor, index, encode_scale(value));
    default:
      return store(tensor, index, static_cast<std::uint8_t>(value == 1));
  }
}

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void check_bytes(std::string_view function, const StoredTensor& tensor, Clause length_bytes) {
  const std::string label = fmt::format("tensor '{}'", tensor.name);
  const std::optional<std::size_t> size = byte_size(tensor.dtype, tensor.shape);
  if (!size) {
    contract_failure(function, label, fmt::format("has the shape {}", shape_text(tensor.shape)),
                     "a size that fits in 63 bits", length_bytes);
  }
  if (tensor.bytes.size() != *size) {
    contract_failure(function, label, fmt::format("holds {} bytes", tensor.bytes.size()),
                     fmt::format("{} bytes for {} of the shape {}", *size, to_string(tensor.dtype),
                                 shape_text(tensor.shape)),
                     length_bytes);
  }
  if (const auto bad = find_invalid_byte(tensor)) {
    contract_failure(function, label,
                     fmt::format("has the byte {} at element {}",
                                 std::to_integer<int>(tensor.bytes[*bad]), *bad),
                     valid_bytes(tensor.dtype), Clause::C3);
  }
}

/// Returns the double with the value of a normal number of float32 or of 0, given its bits.
std::uint64_t widen_normal_float32(std::uint32_t bits) {
  constexpr std::uint64_t kBiasDifference = std::uint64_t{1023 - 127} << 52;
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  return sign | (magnitude == 0 ? 0 : (std::uint64_t{magnitude} << 29) + kBiasDifference);
}

/// Widens the elements of a float32 tensor. Normal numbers and zeros are converted in a loop
/// without branches.
void widen_float32(const StoredTensor& tensor, std::vector<double>& values) {
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t begin = 0; begin < values.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, values.size() - begin);
    std::uint32_t bits[kAtOnce];
    std::memcpy(bits, tensor.bytes.data() + begin * sizeof(float), count * sizeof(float));
    bool is_other = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t magnitude = bits[i] & 0x7fffffff;
      is_other |= magnitude - 0x00800000 >= 0x7f000000 && magnitude != 0;
      values[begin + i] = std::bit_cast<double>(widen_normal_float32(bits[i]));
    }
    for (std::size_t i = 0; is_other && i < count; ++i)
      values[begin + i] = numeric::decode(numeric::float_format_info(FloatType::float32), bits[i]);
  }
}

double widen_int64(const StoredTensor& tensor, std::size_t index) {
  constexpr std::int64_t kLimit = std::int64_t{1} << std::numeric_limits<double>::digits;
  const auto value = load<std::int64_t>(tensor, index);
  if (value < -kLimit || value > kLimit) {
    contract_failure("widen", fmt::format("tensor '{}'", tensor.name),
                     fmt::format("has the int64 {} at element {}", value, index),
                     "a magnitude of at most 2^53, which a double holds exactly", Clause::C2);
  }
  return static_cast<double>(value);
}

double widen_element(const StoredTensor& tensor, std::size_t index) {
  if (const DTypeRow& row = dtype_row(tensor.dtype); row.type)
    return numeric::decode(numeric::float_format_info(*row.type),
                           load_bits(tensor, index, row.bytes));
  switch (tensor.dtype) {
    case DType::int64:
      return widen_int64(tensor, index);
    case DType::int32:
      return load<std::int32_t>(tensor, index);
    case DType::float8_e8m0fnu:
      return decode_scale(load<std::uint8_t>(tensor, index));
    default:
      return load<std::uint8_t>(tensor, index);
  }
}

template <typename Item>
StoredTensor make(DType dtype, std::string name, std::vector<std::size_t> shape,
                  std::span<const Item> values) {
  StoredTensor tensor{std::move(name), dtype, std::move(shape), {}};
  const std::span<const std::byte> bytes = std::as_bytes(values);
  tensor.bytes.assign(bytes.begin(), bytes.end());
  check_bytes("make_tensor", tensor, Clause::C1);
  return tensor;
}

}  // namespace

std::size_t item_size(DType dtype) {
  return dtype_row(dtype).bytes;
}

std::optional<numeric::FloatType> float_type(DType dtype) {
  return dtype_row(dtype).type;
}

bool is_float(DType dtype) {
  return float_type(dtype).has_value();
}

bool is_integer_or_boolean(DType dtype) {
  return !is_float(dtype) && dtype != DType::float8_e8m0fnu;
}

std::string_view to_string(DType dtype) {
  return dtype_row(dtype).name;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const DType dtype : kDTypes)
    if (to_string(dtype) == name) return dtype;
  return std::nullopt;
}

std::string list_dtypes(bool (*wanted)(DType)) {
  std::vector<std::string_view> names;
  for (const DType dtype : kDTypes)
    if (wanted(dtype)) names.push_back(to_string(dtype));
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

std::optional<std::size_t> byte_size(DType dtype, std::span<const std::size_t> shape) {
  constexpr std::size_t kLimit = std::size_t{1} << 63;
  std::size_t size = item_size(dtype);
  bool is_empty = false;
  for (const std::size_t extent : shape) {
    is_empty = is_empty || extent == 0;
    if (extent != 0 && __builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  }
  if (size >= kLimit) return std::nullopt;
  return is_empty ? 0 : size;
}

std::vector<double> widen(const StoredTensor& tensor) {
  check_bytes("widen", tensor, Clause::C1);
  std::vector<double> values(tensor.bytes.size() / item_size(tensor.dtype));
  if (tensor.dtype == DType::float64 && !values.empty()) {
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  if (tensor.dtype == DType::float32) {
    widen_float32(tensor, values);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = widen_element(tensor, i);
  return values;
}

StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const double> values) {
  return make(DType::float64, std::move(name), std::move(shape), values);
}

StoredTensor make_tensor(std::string name, std::vector<std::size_t> shape,
                         std::span<const std::int64_t> values) {
  return make(DType::int64, std::move(name), std::move(shape), values);
}

StoredTensor make_tensor(std::string name, DType dtype, std::vector<std::size_t> shape,
                         std::span<const double> values) {
  StoredTensor tensor{std::move(name), dtype, std::move(shape), {}};
  tensor.bytes.resize(values.size() * item_size(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) store_element(tensor, i, values[i]);
  check_bytes("make_tensor", tensor, Clause::C1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double held = widen_element(tensor, i);
    // An integer has no signed zero, so -0 counts as 0.
    const bool has_one_zero = is_integer_or_boolean(dtype) || dtype == DType::int8;
    const bool same =
        std::bit_cast<std::uint64_t>(held) ==
        std::bit_cast<std::uint64_t>(values[i] == 0 && has_one_zero ? 0.0 : values[i]);
    if (same || (has_one_nan(dtype) && std::isnan(held) && std::isnan(values[i]))) continue;
    contract_failure("make_tensor", fmt::format("tensor '{}'", tensor.name),
                     fmt::format("has {} at element {}", values[i], i),
                     fmt::format("a value that {} holds", to_string(dtype)), Clause::C2);
  }
  return tensor;
}

std::vector<const StoredTensor*> sorted_by_name(std::string_view function,
                                                std::span<const StoredTensor> tensors) {
  std::vector<const StoredTensor*> sorted;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.name.empty() || tensor.name.find('\0') != std::string::npos ||
        !is_utf8(tensor.name)) {
      contract_failure(function, fmt::format("tensor {}", sorted.size()),
                       "has a name that is empty or not text", "UTF-8 without NUL", Clause::C1);
    }
    check_bytes(function, tensor, Clause::C2);
    sorted.push_back(&tensor);
  }
  std::ranges::sort(sorted, {}, &StoredTensor::name);
  const auto twin = std::ranges::adjacent_find(sorted, {}, &StoredTensor::name);
  if (twin != sorted.end()) {
    contract_failure(function, fmt::format("tensor '{}'", (*twin)->name), "occurs twice",
                     "every name once", Clause::C1);
  }
  return sorted;
}

std::optional<std::size_t> find_invalid_byte(const StoredTensor& tensor) {
  if (tensor.dtype != DType::boolean && tensor.dtype != DType::float4_e2m1fn) return std::nullopt;
  const std::byte largest{static_cast<unsigned char>(tensor.dtype == DType::boolean ? 1 : 15)};
  const auto bad = std::ranges::find_if(tensor.bytes, [=](std::byte b) { return b > largest; });
  if (bad == tensor.bytes.end()) return std::nullopt;
  return static_cast<std::size_t>(bad - tensor.bytes.begin());
}

std::string_view valid_bytes(DType dtype) {
  return dtype == DType::boolean ? "0 or 1 in a boolean" : "0 to 15 in float4_e2m1fn";
}

std::vector<std::byte> pack_halves(std::span<const std::byte> elements) {
  std::vector<std::byte> packed((elements.size() + 1) / 2);
  for (std::size_t i = 0; i < elements.size(); ++i)
    packed[i / 2] |= i % 2 == 0 ? elements[i] : elements[i] << 4;
  return packed;
}

std::vector<std::byte> unpack_halves(std::span<const std::byte> bytes, std::size_t count) {
  if (bytes.size() != (count + 1) / 2)
    contract_failure("unpack_halves", "bytes", fmt::format("has {} bytes", bytes.size()),
                     fmt::format("{} for {} elements", (count + 1) / 2, count), Clause::C1);
  std::vector<std::byte> elements(count);
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = i % 2 == 0 ? bytes[i / 2] & std::byte{15} : bytes[i / 2] >> 4;
  return elements;
}

}  // namespace normproof::ref::io
