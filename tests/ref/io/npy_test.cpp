#include "ref/io/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "ref/numeric/errors.hpp"
#include "tests/ref/io/allocation_probe.hpp"
#include "tests/ref/io/hostile_bytes.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::FileError;
using ::testing::ElementsAre;
using tests::ref::io::AllocationProbe;
using tests::ref::io::Bytes;
using tests::ref::io::make_randomly_damaged_copy;
using tests::ref::io::Tensors;
using tests::ref::io::try_decode;

/// Returns the bytes of a .npy file with the given header, element bytes and format version.
Bytes make_npy_file(const std::string& header, const std::string& elements, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  std::size_t length = header.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i, length >>= 8) {
    text += static_cast<char>(length & 0xff);
  }
  text += header + elements;
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::string make_npy_header(const std::string& descr, const std::string& order,
                            const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string quote_text(std::string text) {
  text.insert(text.begin(), '\'');
  text.push_back('\'');
  return text;
}

StoredTensor decode_test_npy(const Bytes& bytes) {
  return decode_npy(bytes, "x", "f.npz");
}

std::string npy_error_message(const Bytes& bytes) {
  try {
    decode_test_npy(bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

TEST(DecodeNpy, ReadsEveryVersionOfTheFormat) {
  const std::string header = make_npy_header("'|u1'", "False", "(2, 3)");
  for (const int version : {1, 2, 3}) {
    const StoredTensor tensor = decode_test_npy(make_npy_file(header, "abcdef", version));
    EXPECT_EQ(tensor.name, "x");
    EXPECT_EQ(tensor.dtype, DType::uint8);
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
    EXPECT_THAT(widen(tensor), ElementsAre('a', 'b', 'c', 'd', 'e', 'f')) << version;
  }
}

TEST(DecodeNpy, ConvertsFortranOrderToCOrder) {
  EXPECT_THAT(
      widen(decode_test_npy(make_npy_file(make_npy_header("'|u1'", "True", "(2, 3)"), "adbecf"))),
      ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  EXPECT_THAT(widen(decode_test_npy(
                  make_npy_file(make_npy_header("'|u1'", "True", "(2, 2, 2)"), "aecgbfdh"))),
              ElementsAre('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'));
  EXPECT_THAT(widen(decode_test_npy(make_npy_file(make_npy_header("'<f2'", "True", "(1, 2)"),
                                                  std::string("\x00\x3c\x00\xc0", 4)))),
              ElementsAre(1.0, -2.0));
  EXPECT_THAT(widen(decode_test_npy(make_npy_file(make_npy_header("'|u1'", "True", "()"), "a"))),
              ElementsAre('a'));
  EXPECT_THAT(
      widen(decode_test_npy(make_npy_file(make_npy_header("'|u1'", "True", "(2, 0, 3)"), ""))),
      ElementsAre());
}

TEST(DecodeNpy, ConvertsBigEndianToLittleEndian) {
  const auto element = [](const std::string& descr, const std::string& bytes) {
    return widen(decode_test_npy(
                     make_npy_file(make_npy_header(quote_text(descr), "False", "(1,)"), bytes)))
        .front();
  };
  EXPECT_EQ(element(">f8", std::string("\x3f\xf8\0\0\0\0\0\0", 8)), 1.5);
  EXPECT_EQ(element(">f4", std::string("\x3f\xc0\0\0", 4)), 1.5);
  EXPECT_EQ(element(">f2", std::string("\x3e\x00", 2)), 1.5);
  EXPECT_EQ(element(">i8", std::string("\0\0\0\0\0\0\1\2", 8)), 258.0);
  EXPECT_EQ(element(">i4", "\xff\xff\xff\xfe"), -2.0);
  EXPECT_EQ(element(">u1", "\x07"), 7.0);
}

TEST(DecodeNpy, ReadsAnyValidSpellingOfTheHeader) {
  const auto shape_of = [](const std::string& header) {
    return decode_test_npy(make_npy_file(header, "abcdef")).shape;
  };
  EXPECT_THAT(shape_of("{\"shape\":(6,),\"descr\":\"|u1\",\"fortran_order\":False}"),
              ElementsAre(6));
  EXPECT_THAT(shape_of(" { 'descr' : '|u1' , 'fortran_order' : False , 'shape' : ( 3L , 2L ) } \n"),
              ElementsAre(3, 2));
}

TEST(DecodeNpy, RejectsInvalidHeaders) {
  const std::string sentence =
      "f.npz: array 'x' has a header that is not NumPy's; expected a dictionary of descr, "
      "fortran_order and shape";
  for (const char* header :
       {"", "{", "{}", "[]", "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}",
        "{'descr': '|u1', 'descr': '|u1', 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), 'more': 1}",
        "{'descr': '|u1', 'fortran_order': false, 'shape': (6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6.0,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': [6]}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,)} x",
        "{'descr': '|u1, 'fortran_order': False, 'shape': (6,)}"}) {
    EXPECT_EQ(npy_error_message(make_npy_file(header, "abcdef")), sentence) << header;
  }
}

TEST(DecodeNpy, RejectsUnsupportedDTypes) {
  for (const std::string descr :
       {"|O", "<c16", "<f16", "<i2", "<U3", "|S4", "=f8", "|f8", "f8", "", "<M8[ns]", "<u8"}) {
    EXPECT_EQ(npy_error_message(
                  make_npy_file(make_npy_header(quote_text(descr), "False", "(1,)"), "abc")),
              "f.npz: array 'x' has the dtype '" + descr +
                  "'; expected a dtype of f8, f4, f2, i8, i4, i1, u1 or b1");
  }
  EXPECT_EQ(
      npy_error_message(
          make_npy_file(make_npy_header("[('a', '<f8')]", "False", "(1,)"), "abcdefgh")),
      "f.npz: array 'x' has a structured dtype; expected a dtype of f8, f4, f2, i8, i4, i1, u1 "
      "or b1");
}

TEST(DecodeNpy, RejectsALengthThatDoesNotMatchTheShape) {
  const std::string header = make_npy_header("'<f8'", "False", "(2, 3)");
  EXPECT_EQ(npy_error_message(make_npy_file(header, std::string(47, 'a'))),
            "f.npz: array 'x' has 47 bytes of elements; expected 48 for its shape and dtype");
  EXPECT_EQ(npy_error_message(make_npy_file(header, std::string(49, 'a'))),
            "f.npz: array 'x' has 49 bytes of elements; expected 48 for its shape and dtype");
  EXPECT_EQ(
      npy_error_message(
          make_npy_file(make_npy_header("'<f8'", "False", "(4294967296, 4294967296)"), "")),
      "f.npz: array 'x' has 0 bytes of elements; expected a shape whose size fits in 63 bits");
}

TEST(DecodeNpy, RejectsFilesThatEndInsideTheHeader) {
  const Bytes bytes = make_npy_file(make_npy_header("'|u1'", "False", "(0,)"), "");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string sentence =
        npy_error_message({bytes.begin(), bytes.begin() + std::ptrdiff_t(size)});
    if (size < 8) {
      EXPECT_EQ(
          sentence,
          "f.npz: array 'x' does not begin as a .npy array; expected \\x93NUMPY and a version");
    } else {
      EXPECT_TRUE(sentence.starts_with("f.npz: array 'x' ends inside its header, at byte " +
                                       std::to_string(size) + "; expected at least "))
          << sentence;
    }
  }
  EXPECT_EQ(decode_test_npy(bytes).bytes.size(), 0U);
}

TEST(DecodeNpy, RejectsOtherVersionsAndBadBooleans) {
  EXPECT_EQ(npy_error_message(make_npy_file(make_npy_header("'|u1'", "False", "(1,)"), "a", 4)),
            "f.npz: array 'x' has .npy version 4.0; expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(npy_error_message(make_npy_file(make_npy_header("'|b1'", "False", "(2,)"), "\x01\x02")),
            "f.npz: array 'x' has a bad boolean at element 1; expected the bytes 0 and 1");
}

TEST(EncodeNpy, WritesTheHeadersThatNumPyWrites) {
  const auto start_of = [](const StoredTensor& tensor) {
    const Bytes bytes = encode_npy(tensor);
    const std::size_t start = bytes.size() - tensor.bytes.size();
    EXPECT_EQ(start % 64, 0U);
    return std::string(reinterpret_cast<const char*>(bytes.data()), start);
  };
  const auto expected = [](std::string header, std::size_t size) {
    header.resize(size - 11, ' ');
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size - 10) + '\0' + header +
           '\n';
  };
  EXPECT_EQ(start_of(make_tensor("x", {2, 1}, std::array{1.0, 2.0})),
            expected("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", 128));
  EXPECT_EQ(start_of(make_tensor("x", {2}, std::array<std::int64_t, 2>{1, 2})),
            expected("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", 128));
  EXPECT_EQ(start_of({"x", DType::boolean, {}, {std::byte{1}}}),
            expected("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 128));
}

TEST(EncodeNpy, DecodingReturnsTheEncodedTensor) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::int64,
                            DType::int32, DType::uint8, DType::boolean}) {
    for (const std::vector<std::size_t>& shape :
         {std::vector<std::size_t>{}, {1}, {0}, {2, 3}, {2, 0, 4}, {1, 2, 1, 3}}) {
      StoredTensor tensor{"x", dtype, shape, Bytes(*byte_size(dtype, shape))};
      for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
        tensor.bytes[i] = std::byte(dtype == DType::boolean ? i % 2 : 37 * i % 256);
      }
      EXPECT_EQ(decode_test_npy(encode_npy(tensor)), tensor);
    }
  }
}

TEST(EncodeNpy, PadsHeadersByLessThanTheAlignment) {
  std::set<std::size_t> paddings;
  for (std::size_t rank = 0; rank < 32; ++rank) {
    for (std::size_t extent = 1; extent < 100'000'000; extent *= 10) {
      std::vector<std::size_t> shape(rank, 1);
      shape.insert(shape.end(), {0, extent});
      if (shape.size() > 32) break;
      const StoredTensor tensor{"x", DType::uint8, shape, {}};
      const Bytes bytes = encode_npy(tensor);
      ASSERT_EQ(bytes.size() % 64, 0U);
      ASSERT_EQ(decode_test_npy(bytes), tensor);
      std::size_t padding = 0;
      while (bytes[bytes.size() - 2 - padding] == std::byte{' '}) ++padding;
      paddings.insert(padding);
    }
  }
  EXPECT_EQ(paddings.size(), 64U);
  EXPECT_EQ(*paddings.rbegin(), 63U);
}

std::string encode_rejection_message(const StoredTensor& tensor) {
  return sentence(numeric::contract_violation([&] { encode_npy(tensor); }));
}

TEST(EncodeNpy, C1_RejectsADTypeThatNumPyLacks) {
  EXPECT_EQ(encode_rejection_message({"x", DType::bfloat16, {1}, Bytes(2)}),
            "encode_npy: tensor 'x' is bfloat16, which .npz cannot hold; expected another dtype, "
            "or .safetensors");
}

TEST(EncodeNpy, C2_RejectsMoreAxesThanNumPySupports) {
  EXPECT_EQ(
      encode_rejection_message({"x", DType::uint8, std::vector<std::size_t>(33, 1), Bytes(1)}),
      "encode_npy: tensor 'x' has 33 axes; expected at most 32");
}

TEST(EncodeNpy, C3_RejectsALengthThatDoesNotMatchTheShape) {
  EXPECT_EQ(encode_rejection_message({"x", DType::uint8, {2}, Bytes(3)}),
            "encode_npy: tensor 'x' has a length that is not that of its shape; expected bytes "
            "for every element");
}

/// Returns a limit for the size in bytes of one allocation of the decoder. Two bytes of a header,
/// "1,", describe no more than one extent of 8 bytes, and a vector grows by doubling.
std::size_t npy_memory_limit(std::size_t file_size) {
  return 8 * file_size + 4096;
}

RC_GTEST_PROP(DecodeNpy, ReadsOrRejectsRandomlyDamagedFiles, ()) {
  const bool is_fortran = *rc::gen::arbitrary<bool>();
  const Bytes bytes = make_randomly_damaged_copy(
      make_npy_file(make_npy_header("'>f4'", is_fortran ? "True" : "False", "(2, 3, 1)"),
                    "abcdefghijklmnopqrstuvwx"));
  const AllocationProbe probe;
  static_cast<void>(try_decode(
      [](std::span<const std::byte> file) { return Tensors{decode_npy(file, "x", "f.npz")}; },
      bytes));
  RC_ASSERT(probe.largest_request_bytes() <= npy_memory_limit(bytes.size()));
}

TEST(DecodeNpy, DoesNotAllocateMemoryForAHugeInvalidShape) {
  const Bytes bytes =
      make_npy_file(make_npy_header("'<f8'", "True", "(1099511627776,)"), "abcdefgh");
  const AllocationProbe probe;
  EXPECT_EQ(npy_error_message(bytes),
            "f.npz: array 'x' has 8 bytes of elements; expected 8796093022208 "
            "for its shape and dtype");
  EXPECT_LE(probe.largest_request_bytes(), npy_memory_limit(bytes.size()));
}

}  // namespace
}  // namespace normproof::ref::io
