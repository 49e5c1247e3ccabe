#include "ref/io/onnx_tensor.hpp"

#include <cstdint>
#include <cstring>
#include <span>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

// The field numbers of ONNX's TensorProto, and the wire types of Protocol Buffers.
constexpr std::uint64_t kDimsField = 1, kDataTypeField = 2, kName = 8, kRawDataField = 9;
constexpr std::uint64_t kVarintWireType = 0, kLength = 2;

std::uint64_t onnx_data_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 1;
    case DType::uint8:
      return 2;
    case DType::int8:
      return 3;
    case DType::int32:
      return 6;
    case DType::int64:
      return 7;
    case DType::boolean:
      return 9;
    case DType::float16:
      return 10;
    case DType::float64:
      return 11;
    case DType::bfloat16:
      return 16;
    case DType::float8_e4m3fn:
      return 17;
    case DType::float8_e5m2:
      return 19;
    case DType::float4_e2m1fn:
      return 23;
    case DType::float8_e8m0fnu:
      return 24;
  }
  numeric::contract_failure("encode_onnx_tensor", "dtype", "is no enumerator", "one of DType");
}

/// Appends a varint: seven bits per byte, the least significant first. The eighth bit of a byte is
/// set if more bytes follow.
void append_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

void append_number(std::vector<std::byte>& out, std::uint64_t field, std::uint64_t value) {
  append_varint(out, field << 3 | kVarintWireType);
  append_varint(out, value);
}

void append_bytes(std::vector<std::byte>& out, std::uint64_t field,
                  std::span<const std::byte> bytes) {
  append_varint(out, field << 3 | kLength);
  append_varint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::byte> encode_onnx_tensor(const StoredTensor& tensor) {
  sorted_by_name("encode_onnx_tensor", std::span(&tensor, 1));
  std::vector<std::byte> out;
  for (const std::size_t extent : tensor.shape) append_number(out, kDimsField, extent);
  append_number(out, kDataTypeField, onnx_data_type(tensor.dtype));
  append_bytes(out, kName, std::as_bytes(std::span(tensor.name.data(), tensor.name.size())));
  if (tensor.dtype == DType::float4_e2m1fn)
    append_bytes(out, kRawDataField, pack_halves(tensor.bytes));
  else
    append_bytes(out, kRawDataField, tensor.bytes);
  return out;
}

}  // namespace normproof::ref::io
