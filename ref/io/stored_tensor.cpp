#include "ref/io/stored_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ref/numeric/assumptions.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

using numeric::contract_failure;

template <typename Item>
Item load(const StoredTensor& tensor, std::size_t index) {
  Item item;
  std::memcpy(&item, tensor.bytes.data() + index * sizeof(Item), sizeof(Item));
  return item;
}

/// A binary format of IEEE 754 with fewer bits than binary64: exponent of all ones is infinity or
/// NaN, of all zeros is zero or subnormal.
struct SmallFloat {
  int exponent_bits;
  int fraction_bits;
};
constexpr SmallFloat kBinary16{5, 10};
constexpr SmallFloat kBfloat16{8, 7};
constexpr SmallFloat kBinary32{8, 23};

double widen_bits(std::uint64_t bits, SmallFloat format) {
  constexpr int kFractionBits = 52;
  constexpr std::uint64_t kMaxExponent = 0x7ff;
  constexpr std::uint64_t kBias = 1023;
  const int fraction_bits = format.fraction_bits;
  const std::uint64_t max_exponent = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t sign = bits >> (format.exponent_bits + fraction_bits);
  std::uint64_t exponent = (bits >> fraction_bits) & max_exponent;
  std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  if (exponent == max_exponent) {
    exponent = kMaxExponent;
  } else if (exponent == 0 && fraction == 0) {
    exponent = 0;
  } else {
    std::uint64_t shift = 0;
    if (exponent == 0) {  // subnormal: its leading one becomes the hidden bit
      shift = static_cast<std::uint64_t>(std::countl_zero(fraction) - (63 - fraction_bits));
      fraction = (fraction << shift) & ((std::uint64_t{1} << fraction_bits) - 1);
      exponent = 1;
    }
    exponent = exponent + kBias - max_exponent / 2 - shift;
  }
  return std::bit_cast<double>(sign << 63 | exponent << kFractionBits |
                               fraction << (kFractionBits - fraction_bits));
}

/// The bits of the format for a value that it holds; for another value, those of some other one.
std::uint64_t narrow_bits(double value, SmallFloat format) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::int64_t max_exponent = (std::int64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t sign = bits >> 63;
  const auto exponent = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int shift = 52 - format.fraction_bits;
  const std::int64_t narrow = exponent == 0x7ff ? max_exponent : exponent - 1023 + max_exponent / 2;
  std::uint64_t magnitude = 0;
  if (exponent != 0 && narrow > 0) {
    magnitude = static_cast<std::uint64_t>(std::min(narrow, max_exponent)) << format.fraction_bits |
                fraction >> shift;
  } else if (exponent != 0 && narrow > -format.fraction_bits) {
    magnitude = (std::uint64_t{1} << 52 | fraction) >> (shift + 1 - narrow);
  }
  return sign << (format.exponent_bits + format.fraction_bits) | magnitude;
}

template <typename Item>
void store(StoredTensor& tensor, std::size_t index, Item item) {
  std::memcpy(tensor.bytes.data() + index * sizeof(Item), &item, sizeof(Item));
}

template <typename Item>
void store_whole(StoredTensor& tensor, std::size_t index, double value) {
  constexpr double kLeast = static_cast<double>(std::numeric_limits<Item>::min());
  constexpr double kMost = static_cast<double>(std::numeric_limits<Item>::max());
  store(tensor, index, value >= kLeast && value < kMost + 1 ? static_cast<Item>(value) : Item{0});
}

void store_element(StoredTensor& tensor, std::size_t index, double value) {
  switch (tensor.dtype) {
    case DType::float64:
      return store(tensor, index, value);
    case DType::float32:
      return store(tensor, index, static_cast<std::uint32_t>(narrow_bits(value, kBinary32)));
    case DType::float16:
      return store(tensor, index, static_cast<std::uint16_t>(narrow_bits(value, kBinary16)));
    case DType::bfloat16:
      return store(tensor, index, static_cast<std::uint16_t>(narrow_bits(value, kBfloat16)));
    case DType::int64:
      return store_whole<std::int64_t>(tensor, index, value);
    case DType::int32:
      return store_whole<std::int32_t>(tensor, index, value);
    case DType::uint8:
      return store_whole<std::uint8_t>(tensor, index, value);
    case DType::boolean:
      return store(tensor, index, static_cast<std::uint8_t>(value == 1));
  }
}

std::string show(std::span<const std::size_t> shape) {
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

void check_bytes(std::string_view function, const StoredTensor& tensor) {
  const std::string label = fmt::format("tensor '{}'", tensor.name);
  const std::optional<std::size_t> size = byte_size(tensor.dtype, tensor.shape);
  if (!size) {
    contract_failure(function, label, fmt::format("has the shape {}", show(tensor.shape)),
                     "a size that fits in 63 bits");
  }
  if (tensor.bytes.size() != *size) {
    contract_failure(function, label, fmt::format("holds {} bytes", tensor.bytes.size()),
                     fmt::format("{} bytes for {} of the shape {}", *size, to_string(tensor.dtype),
                                 show(tensor.shape)));
  }
  if (const auto bad = find_bad_boolean(tensor)) {
    contract_failure(function, label,
                     fmt::format("has the byte {} at element {}",
                                 std::to_integer<int>(tensor.bytes[*bad]), *bad),
                     "0 or 1 in a boolean");
  }
}

double widen_int64(const StoredTensor& tensor, std::size_t index) {
  constexpr std::int64_t kLimit = std::int64_t{1} << std::numeric_limits<double>::digits;
  const auto value = load<std::int64_t>(tensor, index);
  if (value < -kLimit || value > kLimit) {
    contract_failure("widen", fmt::format("tensor '{}'", tensor.name),
                     fmt::format("has the int64 {} at element {}", value, index),
                     "a magnitude of at most 2^53, which a double holds exactly");
  }
  return static_cast<double>(value);
}

double widen_element(const StoredTensor& tensor, std::size_t index) {
  switch (tensor.dtype) {
    case DType::float64:
      return load<double>(tensor, index);
    case DType::float32:
      return widen_bits(load<std::uint32_t>(tensor, index), kBinary32);
    case DType::float16:
      return widen_bits(load<std::uint16_t>(tensor, index), kBinary16);
    case DType::bfloat16:
      return widen_bits(load<std::uint16_t>(tensor, index), kBfloat16);
    case DType::int64:
      return widen_int64(tensor, index);
    case DType::int32:
      return load<std::int32_t>(tensor, index);
    case DType::uint8:
    case DType::boolean:
      return load<std::uint8_t>(tensor, index);
  }
  contract_failure("widen", "dtype", "is no enumerator", "one of DType");
}

template <typename Item>
StoredTensor make(DType dtype, std::string name, std::vector<std::size_t> shape,
                  std::span<const Item> values) {
  StoredTensor tensor{std::move(name), dtype, std::move(shape), {}};
  const std::span<const std::byte> bytes = std::as_bytes(values);
  tensor.bytes.assign(bytes.begin(), bytes.end());
  check_bytes("make_tensor", tensor);
  return tensor;
}

}  // namespace

std::size_t item_size(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
      return 2;
    case DType::uint8:
    case DType::boolean:
      return 1;
  }
  contract_failure("item_size", "dtype", "is no enumerator", "one of DType");
}

bool is_float(DType dtype) {
  return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::float16 ||
         dtype == DType::bfloat16;
}

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return "float64";
    case DType::float32:
      return "float32";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::int64:
      return "int64";
    case DType::int32:
      return "int32";
    case DType::uint8:
      return "uint8";
    case DType::boolean:
      return "boolean";
  }
  contract_failure("to_string", "dtype", "is no enumerator", "one of DType");
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
  check_bytes("widen", tensor);
  std::vector<double> values(tensor.bytes.size() / item_size(tensor.dtype));
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
  check_bytes("make_tensor", tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // An integer has no sign at zero.
    const bool same =
        std::bit_cast<std::uint64_t>(widen_element(tensor, i)) ==
        std::bit_cast<std::uint64_t>(values[i] == 0 && !is_float(dtype) ? 0.0 : values[i]);
    if (same) continue;
    contract_failure("make_tensor", fmt::format("tensor '{}'", tensor.name),
                     fmt::format("has {} at element {}", values[i], i),
                     fmt::format("a value that {} holds (C2)", to_string(dtype)));
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
                       "has a name that is empty or not text", "UTF-8 without NUL");
    }
    check_bytes(function, tensor);
    sorted.push_back(&tensor);
  }
  std::ranges::sort(sorted, {}, &StoredTensor::name);
  const auto twin = std::ranges::adjacent_find(sorted, {}, &StoredTensor::name);
  if (twin != sorted.end()) {
    contract_failure(function, fmt::format("tensor '{}'", (*twin)->name), "occurs twice",
                     "every name once");
  }
  return sorted;
}

std::optional<std::size_t> find_bad_boolean(const StoredTensor& tensor) {
  if (tensor.dtype != DType::boolean) return std::nullopt;
  const auto bad = std::ranges::find_if(tensor.bytes, [](std::byte b) { return b > std::byte{1}; });
  if (bad == tensor.bytes.end()) return std::nullopt;
  return static_cast<std::size_t>(bad - tensor.bytes.begin());
}

}  // namespace normproof::ref::io
