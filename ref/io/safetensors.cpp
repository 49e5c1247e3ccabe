#include "ref/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "ref/io/parsed_json.hpp"
#include "ref/numeric/assumptions.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

struct DTypeCode {
  std::string_view text;
  DType dtype;
};
constexpr std::array kDTypeCodes{DTypeCode{"F64", DType::float64},
                                 DTypeCode{"F32", DType::float32},
                                 DTypeCode{"F16", DType::float16},
                                 DTypeCode{"BF16", DType::bfloat16},
                                 DTypeCode{"I64", DType::int64},
                                 DTypeCode{"I32", DType::int32},
                                 DTypeCode{"U8", DType::uint8},
                                 DTypeCode{"BOOL", DType::boolean},
                                 DTypeCode{"F8_E4M3", DType::float8_e4m3fn},
                                 DTypeCode{"F8_E5M2", DType::float8_e5m2},
                                 DTypeCode{"F8_E8M0", DType::float8_e8m0fnu},
                                 DTypeCode{"I8", DType::int8},
                                 DTypeCode{"F4", DType::float4_e2m1fn}};

/// Returns the size of a tensor in the file, where a byte holds two elements of 4 bits. If a tensor
/// of 4 bits does not fill its last byte, the result is empty.
std::optional<std::size_t> size_in_file(DType dtype, std::span<const std::size_t> shape) {
  const std::optional<std::size_t> size = byte_size(dtype, shape);
  if (dtype != DType::float4_e2m1fn || !size) return size;
  return *size % 2 == 0 ? std::optional(*size / 2) : std::nullopt;
}

/// Returns the header as JSON. A duplicate key at any depth is an error.
json parse_header(std::string_view text, std::string_view file) {
  ParsedJson parsed = parse_json(text);
  if (parsed.nesting > kMaxJsonNesting) {
    file_failure(file, "the header", fmt::format("nests {} deep", parsed.nesting),
                 fmt::format("at most {}", kMaxJsonNesting));
  }
  if (parsed.duplicate_key) {
    file_failure(file, fmt::format("header key '{}'", *parsed.duplicate_key), "occurs twice",
                 "every key once");
  }
  if (parsed.error_end) {
    file_failure(
        file, "the header",
        fmt::format("is no JSON at its byte {}", parsed.is_too_large ? 0 : *parsed.error_end),
        "a JSON object of name -> {dtype, shape, data_offsets}");
  }
  if (!parsed.value.is_object() || !text.starts_with('{'))
    file_failure(file, "the header", "is not an object", "JSON that begins with '{'");
  return std::move(parsed.value);
}

std::size_t header_length(std::span<const std::byte> bytes, std::string_view file) {
  if (bytes.size() < kLengthBytes) {
    file_failure(file, "the file", fmt::format("has {} bytes", bytes.size()),
                 "8 bytes that hold the length of the header");
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes || length > bytes.size() - kLengthBytes) {
    file_failure(file, "the header", fmt::format("claims {} bytes", length),
                 fmt::format("at most {}, the rest of the file, and {}, the format's limit",
                             bytes.size() - kLengthBytes, kMaxHeaderBytes));
  }
  return length;
}

void check_metadata(const json& metadata, std::string_view file) {
  const auto is_text = [](const json& value) { return value.is_string(); };
  if (!metadata.is_object() || !std::all_of(metadata.begin(), metadata.end(), is_text)) {
    file_failure(file, "__metadata__", "is not a map of texts", "text -> text");
  }
}

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;
};

class TensorReader {
 public:
  TensorReader(const std::string& name, const json& fields, std::span<const std::byte> data,
               std::string_view file)
      : name_(name), fields_(fields), data_(data), file_(file) {
    if (!fields.is_object() || fields.size() != 3 || !fields.contains("dtype") ||
        !fields.contains("shape") || !fields.contains("data_offsets")) {
      fail("is not described by three fields", "exactly dtype, shape and data_offsets");
    }
  }

  ByteRange range() const {
    const std::vector<std::size_t> offsets = integers("data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_.size()) {
      fail("has data_offsets that are no range of the file",
           fmt::format("[begin, end] within the {} bytes after the header", data_.size()));
    }
    return {offsets[0], offsets[1], name_};
  }

  StoredTensor read() const {
    StoredTensor tensor{name_, dtype(), integers("shape"), {}};
    const ByteRange place = range();
    const std::optional<std::size_t> size = size_in_file(tensor.dtype, tensor.shape);
    if (!size || place.end - place.begin != *size) {
      fail(fmt::format("has {} bytes of elements", place.end - place.begin),
           size ? fmt::format("{} for its shape and dtype", *size)
           : tensor.dtype == DType::float4_e2m1fn
               ? std::string("an even number of elements of 4 bits, whose size fits in 63 bits")
               : std::string("a shape whose size fits in 63 bits"));
    }
    const auto bytes = data_.subspan(place.begin, *size);
    if (tensor.dtype == DType::float4_e2m1fn)
      tensor.bytes = unpack_halves(bytes, 2 * *size);
    else
      tensor.bytes.assign(bytes.begin(), bytes.end());
    if (const auto bad = find_invalid_byte(tensor)) {
      fail(fmt::format("has a bad boolean at element {}", *bad), "the bytes 0 and 1");
    }
    return tensor;
  }

 private:
  [[noreturn]] void fail(std::string_view observation, std::string_view expectation) const {
    file_failure(file_, fmt::format("tensor '{}'", name_), observation, expectation);
  }

  DType dtype() const {
    const json& field = fields_.at("dtype");
    const std::string text = field.is_string() ? field.get<std::string>() : field.dump();
    const auto code = std::ranges::find(kDTypeCodes, std::string_view(text), &DTypeCode::text);
    if (code == kDTypeCodes.end()) {
      fail(fmt::format("has the dtype {}", text.substr(0, 32)),
           "F64, F32, F16, BF16, I64, I32, U8, BOOL, F8_E4M3, F8_E5M2, F8_E8M0, I8 or F4");
    }
    return code->dtype;
  }

  std::vector<std::size_t> integers(const char* key) const {
    const json& field = fields_.at(key);
    const auto is_extent = [](const json& value) { return value.is_number_unsigned(); };
    if (!field.is_array() || !std::all_of(field.begin(), field.end(), is_extent)) {
      fail(fmt::format("has a {} that is no list of sizes", key), "integers from 0 to 2^64 - 1");
    }
    return field.get<std::vector<std::size_t>>();
  }

  const std::string& name_;
  const json& fields_;
  std::span<const std::byte> data_;
  std::string_view file_;
};

void check_ranges_cover_data(std::vector<ByteRange> ranges, std::size_t data_size,
                             std::string_view file) {
  std::ranges::sort(ranges, [](const ByteRange& a, const ByteRange& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t covered = 0;
  for (const ByteRange& range : ranges) {
    if (range.begin != covered) {
      file_failure(file, fmt::format("tensor '{}'", range.name),
                   fmt::format("begins at byte {} of the data", range.begin),
                   fmt::format("{}, where the tensor before it ends", covered));
    }
    covered = range.end;
  }
  if (covered != data_size) {
    file_failure(file, "the data", fmt::format("has {} bytes", data_size),
                 fmt::format("{}, where the last tensor ends", covered));
  }
}

}  // namespace

std::vector<StoredTensor> decode_safetensors(std::span<const std::byte> bytes,
                                             std::string_view file) {
  const std::size_t length = header_length(bytes, file);
  const auto* text = reinterpret_cast<const char*>(bytes.data() + kLengthBytes);
  const json header = parse_header({text, length}, file);
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + length);
  std::vector<ByteRange> ranges;
  for (const auto& [name, fields] : header.items()) {
    if (name == kMetadata) {
      check_metadata(fields, file);
    } else {
      ranges.push_back(TensorReader(name, fields, data, file).range());
    }
  }
  // This check comes before any data is copied, because overlapping tensors could take many times
  // the size of the file.
  check_ranges_cover_data(ranges, data.size(), file);
  std::vector<StoredTensor> tensors;
  for (const auto& [name, fields] : header.items()) {  // a JSON object is ordered by key
    if (name != kMetadata) tensors.push_back(TensorReader(name, fields, data, file).read());
  }
  return tensors;
}

std::vector<std::byte> encode_safetensors(std::span<const StoredTensor> tensors) {
  std::vector<const StoredTensor*> sorted = sorted_by_name("encode_safetensors", tensors);
  std::ranges::stable_sort(sorted, [](const StoredTensor* a, const StoredTensor* b) {
    return item_size(a->dtype) > item_size(b->dtype);
  });
  json header = json::object();
  std::size_t offset = 0;
  for (const StoredTensor* tensor : sorted) {
    if (tensor->name == kMetadata) {
      numeric::contract_failure("encode_safetensors", "a tensor", "is called __metadata__",
                                "any other name", numeric::Clause::C4);
    }
    const std::optional<std::size_t> size = size_in_file(tensor->dtype, tensor->shape);
    if (!size)
      numeric::contract_failure("encode_safetensors", fmt::format("tensor '{}'", tensor->name),
                                fmt::format("has {} elements of 4 bits", tensor->bytes.size()),
                                "an even number, because a byte holds two of them",
                                numeric::Clause::C4);
    const std::size_t end = offset + *size;
    header[tensor->name] = {
        {"dtype", std::ranges::find(kDTypeCodes, tensor->dtype, &DTypeCode::dtype)->text},
        {"shape", tensor->shape},
        {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  const std::uint64_t length = text.size();

  std::vector<std::byte> bytes(kLengthBytes + text.size());
  std::memcpy(bytes.data(), &length, kLengthBytes);
  std::memcpy(bytes.data() + kLengthBytes, text.data(), text.size());
  bytes.reserve(bytes.size() + offset);
  for (const StoredTensor* tensor : sorted) {
    if (tensor->dtype == DType::float4_e2m1fn) {
      const std::vector<std::byte> packed = pack_halves(tensor->bytes);
      bytes.insert(bytes.end(), packed.begin(), packed.end());
    } else {
      bytes.insert(bytes.end(), tensor->bytes.begin(), tensor->bytes.end());
    }
  }
  return bytes;
}

}  // namespace normproof::ref::io
