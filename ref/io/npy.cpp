#include "ref/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxAxes = 32;
constexpr std::string_view kKnownNpyDTypes = "a dtype of f8, f4, f2, i8, i4, i1, u1 or b1";

struct TypeCode {
  std::string_view text;
  DType dtype;
};
constexpr std::array kTypeCodes{TypeCode{"f8", DType::float64}, TypeCode{"f4", DType::float32},
                                TypeCode{"f2", DType::float16}, TypeCode{"i8", DType::int64},
                                TypeCode{"i4", DType::int32},   TypeCode{"u1", DType::uint8},
                                TypeCode{"b1", DType::boolean}, TypeCode{"i1", DType::int8}};

struct Header {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses the header of a .npy file: a Python dictionary with string keys, whose values are a
/// string, a boolean and a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view file, std::string_view field)
      : text_(text), file_(file), field_(field) {}

  Header parse() {
    Header header;
    std::vector<std::string_view> keys;
    require("{");
    while (!accept("}")) {
      const std::string_view key = string();
      if (std::ranges::find(keys, key) != keys.end()) fail();
      keys.push_back(key);
      require(":");
      if (key == "descr") {
        header.descr = descr();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        fail();
      }
      if (!accept(",")) {
        require("}");
        break;
      }
    }
    skip_space();
    if (keys.size() != 3 || !text_.empty()) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    file_failure(file_, field_, "has a header that is not NumPy's",
                 "a dictionary of descr, fortran_order and shape");
  }

  void skip_space() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  void require(std::string_view token) {
    if (!accept(token)) fail();
  }

  std::string_view string() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) fail();
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail();
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return content;
  }

  std::string_view descr() {
    skip_space();
    if (text_.starts_with('[') || text_.starts_with('(')) {
      file_failure(file_, field_, "has a structured dtype", kKnownNpyDTypes);
    }
    return string();
  }

  bool boolean() {
    if (accept("True")) return true;
    require("False");
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> extents;
    require("(");
    while (!accept(")")) {
      extents.push_back(integer());
      if (accept(",")) continue;
      if (extents.size() == 1) fail();  // (3) is not a tuple
      require(")");
      break;
    }
    return extents;
  }

  std::size_t integer() {
    skip_space();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) fail();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    accept("L");  // Python 2 wrote 3L
    return value;
  }

  std::string_view text_;
  std::string_view file_;
  std::string_view field_;
};

std::string_view view_as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the text of the header, and removes the header from `bytes`, which then holds the
/// elements.
std::string_view split_header(std::span<const std::byte>& bytes, std::string_view file,
                              std::string_view field) {
  const std::string_view text = view_as_text(bytes);
  const std::size_t version_at = kMagic.size();
  const std::size_t length_at = version_at + 2;
  if (!text.starts_with(kMagic) || text.size() < length_at) {
    file_failure(file, field, "does not begin as a .npy array", "\\x93NUMPY and a version");
  }
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  if (byte(version_at) < 1 || byte(version_at) > 3 || byte(version_at + 1) != 0) {
    file_failure(file, field,
                 fmt::format("has .npy version {}.{}", byte(version_at), byte(version_at + 1)),
                 "1.0, 2.0 or 3.0");
  }
  const std::size_t length_size = byte(version_at) == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_size;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_size && length_at + i < bytes.size(); ++i) {
    length |= byte(length_at + i) << (8 * i);
  }
  if (bytes.size() < header_at || length > bytes.size() - header_at) {
    file_failure(file, field, fmt::format("ends inside its header, at byte {}", bytes.size()),
                 fmt::format("at least {} bytes", header_at + length));
  }
  bytes = bytes.subspan(header_at + length);
  return text.substr(header_at, length);
}

/// Returns the dtype that a descr such as "<f8" names, and whether the bytes of each element must
/// be swapped.
std::pair<DType, bool> parse_descr(std::string_view descr, std::string_view file,
                                   std::string_view field) {
  if (!descr.empty()) {
    const char order = descr.front();
    const auto code = std::ranges::find(kTypeCodes, descr.substr(1), &TypeCode::text);
    if (code != kTypeCodes.end() &&
        (order == '<' || order == '>' || (order == '|' && item_size(code->dtype) == 1))) {
      return {code->dtype, order == '>'};
    }
  }
  file_failure(file, field, fmt::format("has the dtype '{}'", descr.substr(0, kAlignment)),
               kKnownNpyDTypes);
}

void swap_items(std::vector<std::byte>& bytes, std::size_t size) {
  for (std::size_t i = 0; i < bytes.size(); i += size) std::reverse(&bytes[i], &bytes[i] + size);
}

std::vector<std::byte> to_c_order(const std::vector<std::byte>& fortran,
                                  std::span<const std::size_t> shape, std::size_t size) {
  std::vector<std::size_t> stride;  // in Fortran order the first axis varies fastest
  std::size_t next = size;
  for (const std::size_t extent : shape) {
    stride.push_back(next);
    next *= extent;
  }
  std::vector<std::byte> c_order(fortran.size());
  std::vector<std::size_t> index(shape.size());
  std::size_t from = 0;
  for (std::size_t to = 0; to < c_order.size(); to += size) {
    std::memcpy(&c_order[to], &fortran[from], size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return c_order;
}

}  // namespace

StoredTensor decode_npy(std::span<const std::byte> bytes, std::string name, std::string_view file) {
  const std::string field = fmt::format("array '{}'", name);
  const std::string_view text = split_header(bytes, file, field);
  Header header = HeaderParser(text, file, field).parse();
  const auto [dtype, is_swapped] = parse_descr(header.descr, file, field);
  const std::optional<std::size_t> size = byte_size(dtype, header.shape);
  if (!size || bytes.size() != *size) {
    file_failure(file, field, fmt::format("has {} bytes of elements", bytes.size()),
                 size ? fmt::format("{} for its shape and dtype", *size)
                      : std::string("a shape whose size fits in 63 bits"));
  }
  StoredTensor tensor{std::move(name), dtype, std::move(header.shape), {}};
  tensor.bytes.assign(bytes.begin(), bytes.end());
  const std::size_t item = item_size(dtype);
  if (is_swapped) swap_items(tensor.bytes, item);
  if (header.fortran_order) tensor.bytes = to_c_order(tensor.bytes, tensor.shape, item);
  if (const auto bad = find_invalid_byte(tensor)) {
    file_failure(file, field, fmt::format("has a bad boolean at element {}", *bad),
                 "the bytes 0 and 1");
  }
  return tensor;
}

bool is_known_to_npy(DType dtype) {
  return std::ranges::find(kTypeCodes, dtype, &TypeCode::dtype) != kTypeCodes.end();
}

std::vector<std::byte> encode_npy(const StoredTensor& tensor) {
  const std::string label = fmt::format("tensor '{}'", tensor.name);
  const auto code = std::ranges::find(kTypeCodes, tensor.dtype, &TypeCode::dtype);
  if (code == kTypeCodes.end()) {
    numeric::contract_failure("encode_npy", label,
                              fmt::format("is {}, which .npz cannot hold", to_string(tensor.dtype)),
                              "another dtype, or .safetensors", numeric::Clause::C1);
  }
  if (tensor.shape.size() > kMaxAxes) {
    numeric::contract_failure("encode_npy", label, fmt::format("has {} axes", tensor.shape.size()),
                              fmt::format("at most {}", kMaxAxes), numeric::Clause::C2);
  }
  if (tensor.bytes.size() != byte_size(tensor.dtype, tensor.shape)) {
    numeric::contract_failure("encode_npy", label, "has a length that is not that of its shape",
                              "bytes for every element", numeric::Clause::C3);
  }
  std::string shape;
  for (const std::size_t extent : tensor.shape) shape += fmt::format("{}, ", extent);
  if (tensor.shape.size() == 1) shape.pop_back();                            // (3,)
  if (tensor.shape.size() > 1) shape.erase(shape.size() - 2, shape.size());  // (3, 4)
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   item_size(tensor.dtype) == 1 ? '|' : '<', code->text, shape);
  const std::size_t prefix = kMagic.size() + 4;
  const std::size_t unpadded = prefix + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string start = std::string(kMagic) + std::string("\x01\x00", 2);
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  start += header;

  std::vector<std::byte> bytes(start.size() + tensor.bytes.size());
  std::memcpy(bytes.data(), start.data(), start.size());
  std::ranges::copy(tensor.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(start.size()));
  return bytes;
}

}  // namespace normproof::ref::io
