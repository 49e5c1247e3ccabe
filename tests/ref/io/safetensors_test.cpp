#include "ref/io/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "ref/numeric/errors.hpp"
#include "tests/ref/io/allocation_probe.hpp"
#include "tests/ref/io/hostile_bytes.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::ContractError;
using numeric::FileError;
using ::testing::ElementsAre;
using tests::ref::io::AllocationProbe;
using tests::ref::io::Bytes;
using tests::ref::io::for_each_damaged_file;
using tests::ref::io::make_randomly_damaged_copy;
using tests::ref::io::Tensors;
using tests::ref::io::try_decode;

const Tensors kSafetensorsTensors{
    {"a/b", DType::boolean, {3}, {std::byte{0}, std::byte{1}, std::byte{1}}},
    {"bf", DType::bfloat16, {1, 1}, {std::byte{0x80}, std::byte{0x3f}}},
    {"n", DType::int64, {0, 3}, {}},
    make_tensor("x", {2}, std::array{1.0, -0.0}),
    {"\xc3\xa9\"", DType::float16, {}, {std::byte{0x01}, std::byte{0x7c}}},
};

/// Returns the bytes of a .safetensors file with the given header and `data_size` zero bytes of
/// data.
Bytes make_safetensors_file(const std::string& header, std::size_t data_size) {
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  text += header + std::string(data_size, '\0');
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

Tensors decode_test_safetensors(std::span<const std::byte> bytes) {
  return decode_safetensors(bytes, "f.st");
}

std::string safetensors_error_message(const Bytes& bytes) {
  try {
    decode_test_safetensors(bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

std::string safetensors_error_message(const std::string& header, std::size_t data_size) {
  return safetensors_error_message(make_safetensors_file(header, data_size));
}

TEST(Safetensors, DecodingReturnsTheEncodedTensors) {
  EXPECT_EQ(decode_test_safetensors(encode_safetensors(kSafetensorsTensors)), kSafetensorsTensors);
  Tensors all;
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                            DType::int64, DType::int32, DType::uint8, DType::boolean}) {
    all.push_back({std::string(1, static_cast<char>('a' + all.size())),
                   dtype,
                   {2, 3},
                   Bytes(6 * item_size(dtype), std::byte{1})});
  }
  EXPECT_EQ(decode_test_safetensors(encode_safetensors(all)), all);
}

TEST(Safetensors, WritesExactlyTheExpectedBytes) {
  std::string header = R"({"a/b":{"data_offsets":[20,23],"dtype":"BOOL","shape":[3]},)"
                       R"("bf":{"data_offsets":[16,18],"dtype":"BF16","shape":[1,1]},)"
                       R"("n":{"data_offsets":[0,0],"dtype":"I64","shape":[0,3]},)"
                       R"("x":{"data_offsets":[0,16],"dtype":"F64","shape":[2]},)"
                       "\"\xc3\xa9\\\"\":"
                       R"({"data_offsets":[18,20],"dtype":"F16","shape":[]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  Bytes expected = make_safetensors_file(header, 0);
  for (const std::size_t i : {2U, 3U, 1U, 4U, 0U}) {  // descending item size, then name
    expected.insert(expected.end(), kSafetensorsTensors[i].bytes.begin(),
                    kSafetensorsTensors[i].bytes.end());
  }
  EXPECT_EQ(encode_safetensors(kSafetensorsTensors), expected);
  EXPECT_EQ(encode_safetensors(Tensors(kSafetensorsTensors.rbegin(), kSafetensorsTensors.rend())),
            expected);
}

TEST(Safetensors, PadsHeadersByLessThanEightBytes) {
  std::set<std::size_t> paddings;
  for (std::size_t name_size = 1; name_size <= 16; ++name_size) {
    const StoredTensor tensor{std::string(name_size, 'n'), DType::float64, {0}, {}};
    const Bytes bytes = encode_safetensors(Tensors{tensor});
    ASSERT_EQ(bytes.size() % 8, 0U) << name_size;
    std::size_t padding = 0;
    while (bytes[bytes.size() - 1 - padding] == std::byte{' '}) ++padding;
    paddings.insert(padding);
  }
  EXPECT_THAT(paddings, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Safetensors, WritesAnEmptyObjectForNoTensors) {
  EXPECT_EQ(encode_safetensors({}), make_safetensors_file("{}      ", 0));
  EXPECT_TRUE(decode_test_safetensors(make_safetensors_file("{}", 0)).empty());
}

TEST(Safetensors, AcceptsMetadataAndTensorsInAnyOrder) {
  const Tensors read = decode_test_safetensors(make_safetensors_file(
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1],"data_offsets":[2,6]},)"
      R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   )",
      6));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0], (StoredTensor{"a", DType::float32, {1}, Bytes(4)}));
  EXPECT_EQ(read[1], (StoredTensor{"b", DType::uint8, {2}, Bytes(2)}));
}

TEST(Safetensors, RejectsAnInvalidHeaderLength) {
  EXPECT_EQ(safetensors_error_message(Bytes(7)),
            "f.st: the file has 7 bytes; expected 8 bytes that hold the length of the header");
  Bytes bytes = make_safetensors_file("{}", 0);
  bytes[0] = std::byte{3};
  EXPECT_EQ(safetensors_error_message(bytes),
            "f.st: the header claims 3 bytes; expected at most 2, the rest of the file, and "
            "100000000, the format's limit");
  bytes[7] = std::byte{0xff};
  EXPECT_EQ(safetensors_error_message(bytes),
            "f.st: the header claims 18374686479671623683 bytes; expected at most 2, the rest of "
            "the file, and 100000000, the format's limit");
}

TEST(Safetensors, RejectsAHeaderLongerThanTheLimitOfTheFormat) {
  EXPECT_EQ(safetensors_error_message(std::string(100'000'001, ' '), 0),
            "f.st: the header claims 100000001 bytes; expected at most 100000001, the rest of the "
            "file, and 100000000, the format's limit");
}

TEST(Safetensors, RejectsAHeaderThatIsNotAnObject) {
  EXPECT_EQ(safetensors_error_message("{\"a\": }", 0),
            "f.st: the header is no JSON at its byte 7; expected a JSON object of name -> {dtype, "
            "shape, data_offsets}");
  EXPECT_EQ(safetensors_error_message("", 0),
            "f.st: the header is no JSON at its byte 1; expected a JSON object of name -> {dtype, "
            "shape, data_offsets}");
  EXPECT_EQ(safetensors_error_message("{\"\xff\": 1}", 0),
            "f.st: the header is no JSON at its byte 3; expected a JSON object of name -> {dtype, "
            "shape, data_offsets}");
  EXPECT_EQ(safetensors_error_message(std::string("{}\0x", 4), 0),
            "f.st: the header is no JSON at its byte 3; expected a JSON object of name -> {dtype, "
            "shape, data_offsets}");
  const std::string no_object =
      "f.st: the header is not an object; expected JSON that begins with '{'";
  for (const char* header : {"[]", "1", " {}"})
    EXPECT_EQ(safetensors_error_message(header, 0), no_object);
}

TEST(Safetensors, RejectsDuplicateKeys) {
  const std::string a = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(safetensors_error_message("{" + a + "," + a + "}", 1),
            "f.st: header key 'a' occurs twice; expected every key once");
  EXPECT_EQ(safetensors_error_message(
                R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1),
            "f.st: header key 'dtype' occurs twice; expected every key once");
}

TEST(Safetensors, StoresTwoElementsOf4BitsInAByte) {
  const StoredTensor tensor{
      "a", DType::float4_e2m1fn, {1, 4}, {std::byte{1}, std::byte{2}, std::byte{15}, std::byte{0}}};
  const std::vector<std::byte> bytes = encode_safetensors({{tensor}});
  EXPECT_EQ(bytes[bytes.size() - 2], std::byte{0x21});
  EXPECT_EQ(bytes.back(), std::byte{0x0f});
  EXPECT_EQ(decode_safetensors(bytes, "f.st"), std::vector{tensor});
  const StoredTensor odd{"a", DType::float4_e2m1fn, {1}, {std::byte{1}}};
  EXPECT_THROW(encode_safetensors({{odd}}), ContractError);
  EXPECT_EQ(
      safetensors_error_message(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}})", 1),
      "f.st: tensor 'a' has 1 bytes of elements; expected an even number of elements of 4 bits, "
      "whose size fits in 63 bits");
}

TEST(Safetensors, RejectsInvalidTensorDescriptions) {
  const std::string fields =
      "f.st: tensor 'a' is not described by three fields; expected exactly dtype, shape and "
      "data_offsets";
  EXPECT_EQ(safetensors_error_message(R"({"a":[]})", 0), fields);
  EXPECT_EQ(safetensors_error_message(R"({"a":{"dtype":"U8","shape":[0]}})", 0), fields);
  EXPECT_EQ(safetensors_error_message(R"({"a":{"dtype":"U8","shape":[0],"offsets":[0,0]}})", 0),
            fields);
  EXPECT_EQ(safetensors_error_message(
                R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"b":1}})", 0),
            fields);
  const std::string dtypes =
      "; expected F64, F32, F16, BF16, I64, I32, U8, BOOL, F8_E4M3, F8_E5M2, F8_E8M0, I8 or F4";
  EXPECT_EQ(
      safetensors_error_message(R"({"a":{"dtype":"F8_E3M4","shape":[1],"data_offsets":[0,1]}})", 1),
      "f.st: tensor 'a' has the dtype F8_E3M4" + dtypes);
  EXPECT_EQ(safetensors_error_message(R"({"a":{"dtype":3,"shape":[1],"data_offsets":[0,1]}})", 1),
            "f.st: tensor 'a' has the dtype 3" + dtypes);
  const std::string sizes =
      "f.st: tensor 'a' has a shape that is no list of sizes; expected integers from 0 to 2^64 - 1";
  for (const char* shape : {"1", "[-1]", "[1.0]", "[\"1\"]", "[18446744073709551616]", "[[1]]"}) {
    EXPECT_EQ(safetensors_error_message(std::string(R"({"a":{"dtype":"U8","shape":)") + shape +
                                            R"(,"data_offsets":[0,1]}})",
                                        1),
              sizes)
        << shape;
  }
  EXPECT_EQ(safetensors_error_message(R"({"__metadata__":{"a":1}})", 0),
            "f.st: __metadata__ is not a map of texts; expected text -> text");
  EXPECT_EQ(safetensors_error_message(R"({"__metadata__":"a"})", 0),
            "f.st: __metadata__ is not a map of texts; expected text -> text");
}

TEST(Safetensors, RejectsInvalidOffsets) {
  const auto u8 = [](const std::string& name, int extent, const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(extent) +
           R"(],"data_offsets":)" + offsets + "}";
  };
  const std::string no_range =
      "f.st: tensor 'a' has data_offsets that are no range of the file; expected [begin, end] "
      "within the 4 bytes after the header";
  for (const char* offsets : {"[0,5]", "[3,2]", "[0]", "[0,4,4]", "[5,5]"}) {
    EXPECT_EQ(safetensors_error_message("{" + u8("a", 4, offsets) + "}", 4), no_range) << offsets;
  }
  EXPECT_EQ(safetensors_error_message("{" + u8("a", 3, "[0,4]") + "}", 4),
            "f.st: tensor 'a' has 4 bytes of elements; expected 3 for its shape and dtype");
  EXPECT_EQ(safetensors_error_message("{" + u8("a", 3, "[1,4]") + "}", 4),
            "f.st: tensor 'a' begins at byte 1 of the data; expected 0, where the tensor before it "
            "ends");
  EXPECT_EQ(
      safetensors_error_message("{" + u8("a", 3, "[0,3]") + "," + u8("b", 2, "[2,4]") + "}", 4),
      "f.st: tensor 'b' begins at byte 2 of the data; expected 3, where the tensor before it "
      "ends");
  EXPECT_EQ(
      safetensors_error_message("{" + u8("a", 2, "[0,2]") + "," + u8("b", 1, "[3,4]") + "}", 4),
      "f.st: tensor 'b' begins at byte 3 of the data; expected 2, where the tensor before it "
      "ends");
  EXPECT_EQ(safetensors_error_message("{" + u8("a", 3, "[0,3]") + "}", 4),
            "f.st: the data has 4 bytes; expected 3, where the last tensor ends");
  EXPECT_EQ(
      safetensors_error_message(R"({"a":{"dtype":"F64","shape":[4294967296,4294967296,2],)"
                                R"("data_offsets":[0,0]}})",
                                0),
      "f.st: tensor 'a' has 0 bytes of elements; expected a shape whose size fits in 63 bits");
}

TEST(Safetensors, RejectsBooleansOtherThanZeroAndOne) {
  Bytes bytes =
      make_safetensors_file(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2);
  bytes.back() = std::byte{2};
  EXPECT_EQ(safetensors_error_message(bytes),
            "f.st: tensor 'a' has a bad boolean at element 1; expected the bytes 0 and 1");
}

/// Returns a limit for the size in bytes of one allocation of the decoder. Two bytes of JSON, "1,",
/// describe no more than one value of 16 bytes, and a vector grows by doubling.
std::size_t safetensors_memory_limit(std::size_t file_size) {
  return 16 * file_size + 4096;
}

TEST(Safetensors, ReadsOrRejectsEveryDamagedFile) {
  const Bytes valid = encode_safetensors(kSafetensorsTensors);
  for_each_damaged_file(valid, [&](const Bytes& bytes, std::size_t at) {
    const AllocationProbe probe;
    const std::optional<Tensors> read = try_decode(decode_test_safetensors, bytes);
    ASSERT_LE(probe.largest_request_bytes(), safetensors_memory_limit(bytes.size())) << at;
    if (bytes.size() < valid.size()) {
      ASSERT_FALSE(read.has_value()) << "cut at " << at;
    }
  });
}

RC_GTEST_PROP(Safetensors, ReadsOrRejectsRandomlyDamagedFiles, ()) {
  const Bytes bytes = make_randomly_damaged_copy(encode_safetensors(kSafetensorsTensors));
  const AllocationProbe probe;
  static_cast<void>(try_decode(decode_test_safetensors, bytes));
  RC_ASSERT(probe.largest_request_bytes() <= safetensors_memory_limit(bytes.size()));
}

TEST(Safetensors, RejectsDeepNesting) {
  std::string header = "{\"a\":";
  for (int i = 0; i < 200000; ++i) header += "[";
  const char* const rejection_message = "f.st: the header nests 200001 deep; expected at most 64";
  EXPECT_EQ(safetensors_error_message(header, 0), rejection_message);
  for (int i = 0; i < 200000; ++i) header += "]";
  EXPECT_EQ(safetensors_error_message(header + "}", 0), rejection_message);
}

TEST(Safetensors, C4_WriterRejectsTheReservedName) {
  const Tensors reserved{make_tensor("__metadata__", {}, std::array{1.0})};
  EXPECT_EQ(numeric::contract_message([&] { encode_safetensors(reserved); }),
            "encode_safetensors: a tensor is called __metadata__; expected any other name (C4)");
  EXPECT_THROW(encode_safetensors(Tensors(2, kSafetensorsTensors[0])), ContractError);
}

}  // namespace
}  // namespace normproof::ref::io
