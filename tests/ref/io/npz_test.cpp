#include "ref/io/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <zip.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ref/io/npy.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/allocation_probe.hpp"
#include "tests/ref/io/hostile_bytes.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::ContractError;
using numeric::error_message;
using numeric::FileError;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using tests::ref::io::AllocationProbe;
using tests::ref::io::Bytes;
using tests::ref::io::for_each_damaged_file;
using tests::ref::io::make_randomly_damaged_copy;
using tests::ref::io::Tensors;
using tests::ref::io::try_decode;

const Tensors kNpzTensors{
    {"a/b", DType::boolean, {2}, {std::byte{0}, std::byte{1}}},
    {"n", DType::int64, {0, 3}, {}},
    make_tensor("x", {2, 2}, std::array{1.0, -0.0, 0x1p-1074, 1e300}),
    {"\xc3\xa9", DType::float16, {}, {std::byte{0x01}, std::byte{0x7c}}},  // a signaling NaN
};

Tensors decode_test_npz(std::span<const std::byte> bytes) {
  return decode_npz(bytes, "f.npz");
}

TEST(Npz, StoresEightBitFormatsAsBytes) {
  const Tensors tensors{
      {"s", DType::float8_e8m0fnu, {1}, {std::byte{127}}},
      {"x", DType::float8_e4m3fn, {2}, {std::byte{0x7e}, std::byte{0xff}}},
      {"y", DType::float8_e5m2, {2, 1}, {std::byte{0x01}, std::byte{0x7b}}},
  };
  EXPECT_EQ(decode_test_npz(encode_npz(tensors)), tensors);
  const Tensors bytes{{"x.float8_e4m3fn", DType::uint8, {1}, {std::byte{0x38}}},
                      {"x.int4", DType::uint8, {1}, {std::byte{0x38}}}};
  EXPECT_EQ(decode_test_npz(encode_npz(bytes))[0],
            (StoredTensor{"x", DType::float8_e4m3fn, {1}, {std::byte{0x38}}}));
  EXPECT_EQ(decode_test_npz(encode_npz(bytes))[1], bytes[1]);
}

std::string npz_error_message(const Bytes& bytes) {
  try {
    decode_test_npz(bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

Bytes to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::string to_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Npz, StoresInt8AsNumPyDoes) {
  const Tensors tensors{{"x", DType::int8, {2}, {std::byte{0x81}, std::byte{0x7f}}}};
  EXPECT_EQ(decode_test_npz(encode_npz(tensors)), tensors);
  EXPECT_NE(to_text(encode_npz(tensors)).find("'|i1'"), std::string::npos);
}

TEST(Npz, StoresAnElementOf4BitsInAByteAndRefusesBytesAbove15) {
  const Tensors tensors{{"x", DType::float4_e2m1fn, {2}, {std::byte{15}, std::byte{1}}}};
  EXPECT_EQ(decode_test_npz(encode_npz(tensors)), tensors);
  const Tensors bytes{{"x.float4_e2m1fn", DType::uint8, {2}, {std::byte{1}, std::byte{16}}}};
  EXPECT_EQ(npz_error_message(encode_npz(bytes)),
            "f.npz: tensor 'x' has the byte 16 at element 1; expected 0 to 15 in float4_e2m1fn");
}

/// Replaces every occurrence of the text `from` by `to`, which has the same length.
Bytes replace_in_file(const Bytes& bytes, std::string_view from, std::string_view to) {
  std::string text = to_text(bytes);
  int count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    text.replace(at, from.size(), to);
    ++count;
  }
  EXPECT_GT(count, 0);
  return to_bytes(text);
}

/// Returns a zip archive with one entry, compressed by deflate.
Bytes make_deflated_archive(const std::string& name, const Bytes& content) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
  EXPECT_EQ(zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8), 0);
  EXPECT_EQ(zip_set_file_compression(archive, 0, ZIP_CM_DEFLATE, 9), 0);
  EXPECT_EQ(zip_close(archive), 0);
  Bytes bytes(content.size() + 1000);
  EXPECT_EQ(zip_source_open(target), 0);
  bytes.resize(static_cast<std::size_t>(zip_source_read(target, bytes.data(), bytes.size())));
  zip_source_close(target);
  zip_source_free(target);
  zip_error_fini(&error);
  return bytes;
}

/// Sets the uncompressed size in both headers of an archive with a single entry. The size may be
/// wrong.
Bytes set_claimed_size(Bytes bytes, std::uint32_t size) {
  const std::size_t directory = to_text(bytes).find("PK\x01\x02");
  std::memcpy(&bytes[22], &size, sizeof size);
  std::memcpy(&bytes[directory + 24], &size, sizeof size);
  return bytes;
}

TEST(Npz, DecodingReturnsTheEncodedTensors) {
  EXPECT_EQ(decode_test_npz(encode_npz(kNpzTensors)), kNpzTensors);
}

TEST(Npz, WritesAnEmptyArchiveForNoTensors) {
  const Bytes bytes = encode_npz({});
  EXPECT_EQ(bytes.size(), 22U);
  EXPECT_TRUE(decode_test_npz(bytes).empty());
}

TEST(Npz, WritesAndReturnsTensorsInTheOrderOfTheirNames) {
  const Tensors reversed_tensors(kNpzTensors.rbegin(), kNpzTensors.rend());
  EXPECT_EQ(encode_npz(reversed_tensors), encode_npz(kNpzTensors));
  // Creates an archive in a different order by renaming "x.npy" to "0.npy".
  const Tensors read = decode_test_npz(replace_in_file(encode_npz(kNpzTensors), "x.npy", "0.npy"));
  EXPECT_EQ(read.front().name, "0");
  EXPECT_EQ(read.front().bytes, kNpzTensors[2].bytes);
}

TEST(Npz, BytesDoNotDependOnTheTimeZone) {
  const Bytes bytes = encode_npz(kNpzTensors);
  const char* before = std::getenv("TZ");
  const std::string restored = before == nullptr ? "" : before;
  for (const char* zone : {"UTC", "Asia/Kathmandu", "America/New_York", "XXX+12", "XXX-14"}) {
    ::setenv("TZ", zone, 1);
    ::tzset();
    EXPECT_EQ(encode_npz(kNpzTensors), bytes) << zone;
  }
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", restored.c_str(), 1);
  ::tzset();
}

TEST(Npz, EntriesAreUncompressedAndHaveTheFirstZipDate) {
  const std::string text = to_text(encode_npz(kNpzTensors));
  const std::string version_flags_method_time_date("\x0a\0\0\0\0\0\0\0\x21\0", 10);
  EXPECT_EQ(text.substr(0, 14), std::string("PK\x03\x04", 4) + version_flags_method_time_date);
}

TEST(Npz, RejectsBytesThatAreNotAnArchive) {
  const std::string reason =
      "f.npz: the zip archive cannot be read (Not a zip archive); expected an unaltered .npz file";
  EXPECT_EQ(npz_error_message({}), reason);
  EXPECT_EQ(npz_error_message(to_bytes("text")), reason);
  EXPECT_EQ(npz_error_message(to_bytes(std::string(5000, 'P'))), reason);
}

TEST(Npz, RejectsEntriesWithAWrongChecksum) {
  Bytes bytes = encode_npz(kNpzTensors);
  const std::size_t at = to_text(bytes).find(to_text(kNpzTensors[2].bytes));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= std::byte{1};
  EXPECT_EQ(npz_error_message(bytes),
            "f.npz: entry 'x.npy' is damaged (CRC error); expected an unaltered .npz file");
}

TEST(Npz, RejectsDuplicateNames) {
  Tensors tensors{make_tensor("aa", {1}, std::array{1.0}), make_tensor("ab", {1}, std::array{1.0})};
  EXPECT_EQ(
      npz_error_message(replace_in_file(encode_npz(tensors), "ab.npy", "aa.npy")),
      "f.npz: the zip archive cannot be read (a name occurs twice); expected an unaltered .npz "
      "file");
}

TEST(Npz, RejectsEntriesThatAreNotArrays) {
  EXPECT_EQ(npz_error_message(replace_in_file(encode_npz(kNpzTensors), "a/b.npy", "a/b.txt")),
            "f.npz: entry 'a/b.txt' is no array; expected a name and .npy");
  const Tensors one{make_tensor("x", {}, std::array{1.0})};
  EXPECT_EQ(npz_error_message(replace_in_file(encode_npz(one), "x.npy", ".npy/")),
            "f.npz: entry '.npy/' is no array; expected a name and .npy");
}

/// The archive has two entries, and the bytes of the second lie inside the bytes of the first. With
/// a chain of such entries, a small file could unpack to an unlimited size.
TEST(Npz, RejectsOverlappingEntries) {
  constexpr std::size_t kDirectoryEntryBytes = 46 + 5;  // the fixed part and "b.npy"
  constexpr std::size_t kOffsetFieldPosition = 42;
  const StoredTensor large{"b", DType::uint8, {1000}, Bytes(1000)};
  const std::string inner = to_text(encode_npz(Tensors{large}));
  const std::size_t local_size = inner.size() - 22 - kDirectoryEntryBytes;
  const std::string local = inner.substr(0, local_size);
  std::string directory = inner.substr(local_size, kDirectoryEntryBytes);

  const StoredTensor outer{"a", DType::uint8, {local_size}, to_bytes(local)};
  std::string text = to_text(encode_npz(Tensors{outer}));
  const std::size_t offset = text.find(local);
  ASSERT_NE(offset, std::string::npos);
  directory[kOffsetFieldPosition] = static_cast<char>(offset & 0xff);
  directory[kOffsetFieldPosition + 1] = static_cast<char>(offset >> 8);
  const std::size_t end = text.size() - 22;
  text[end + 8] = text[end + 10] = 2;               // number of entries
  constexpr std::size_t kArrayEntryBytes = 46 + 5;  // "a.npy"
  text[end + 12] =
      static_cast<char>(kArrayEntryBytes + kDirectoryEntryBytes);  // size of the directory
  text.insert(end, directory);
  EXPECT_EQ(npz_error_message(to_bytes(text)),
            "f.npz: the zip archive cannot be read (entries overlap or reach beyond the end); "
            "expected an unaltered .npz file");
}

TEST(Npz, ReadsDeflatedEntries) {
  const StoredTensor zeros = make_tensor("x", {1000}, std::vector<double>(1000));
  const Bytes bytes = make_deflated_archive("x.npy", encode_npy(zeros));
  EXPECT_LT(bytes.size(), zeros.bytes.size());
  EXPECT_EQ(decode_test_npz(bytes), Tensors{zeros});
}

TEST(Npz, RejectsClaimedSizesThatDeflateCannotReach) {
  const Bytes content = encode_npy(make_tensor("x", {100}, std::vector<double>(100)));
  const Bytes bytes = set_claimed_size(make_deflated_archive("x.npy", content), 0xfffffff0);
  const AllocationProbe probe;
  EXPECT_THAT(npz_error_message(bytes),
              MatchesRegex("f.npz: entry 'x.npy' claims 4294967280 bytes out of [0-9]+ compressed "
                           "ones; expected at most 1032 for one"));
  EXPECT_LE(probe.largest_request_bytes(), std::size_t{1} << 17);
}

TEST(Npz, RejectsMoreUnpackedBytesThanTheLimit) {
  const std::vector<StoredTensor> tensors = {make_tensor("a", {1000}, std::vector<double>(1000)),
                                             make_tensor("b", {1}, std::array{1.0})};
  const std::vector<std::byte> bytes = encode_npz(tensors);
  EXPECT_EQ(decode_npz(bytes, "f", 8128 + 136), tensors);  // each has a header of 128 bytes
  EXPECT_THAT(error_message<numeric::FileError>([&] { decode_npz(bytes, "f", 8127); }),
              "f: entry 'a.npy' has 8128 bytes unpacked; expected at most 8127, with those "
              "before it");
  EXPECT_THAT(error_message<numeric::FileError>([&] { decode_npz(bytes, "f", 8128 + 135); }),
              HasSubstr("'b.npy' has 136 bytes unpacked"));
}

TEST(Npz, RejectsAClaimedSizeThatDoesNotMatchTheEntry) {
  constexpr std::size_t kZeroByteCount = std::size_t{1} << 22;
  const Bytes bytes = make_deflated_archive("x.npy", Bytes(kZeroByteCount));
  const auto sentence = [](std::uint32_t claim) {
    return "f.npz: entry 'x.npy' does not hold " + std::to_string(claim) +
           " bytes; expected the size that the archive states";
  };
  for (const std::uint32_t claim :
       {std::uint32_t{kZeroByteCount - 1}, std::uint32_t{kZeroByteCount + 1}}) {
    EXPECT_EQ(npz_error_message(set_claimed_size(bytes, claim)), sentence(claim));
  }
  const Bytes bomb = set_claimed_size(bytes, 1000);
  const AllocationProbe probe;
  EXPECT_EQ(npz_error_message(bomb), sentence(1000));
  EXPECT_LE(probe.largest_request_bytes(), std::size_t{1} << 18);
}

TEST(Npz, RejectsEncryptedEntriesAndOtherCompression) {
  const Bytes valid = encode_npz(Tensors{make_tensor("x", {}, std::array{1.0})});
  const std::size_t directory = to_text(valid).find("PK\x01\x02");
  // Newer versions of libzip compare the sizes and reject the supposedly encrypted entry earlier.
  const auto sentence = testing::AnyOf(
      "f.npz: entry 'x.npy' is encrypted or compressed in a way of its own; expected stored or "
      "deflated bytes",
      testing::StartsWith("f.npz: the zip archive cannot be read (Zip archive inconsistent: "));
  for (const auto& [field, value] : {std::pair{6, 1}, std::pair{8, 12}}) {  // encrypted, bzip2
    Bytes bytes = valid;
    bytes[static_cast<std::size_t>(field)] = std::byte(value);
    bytes[directory + static_cast<std::size_t>(field) + 2] = std::byte(value);
    EXPECT_THAT(npz_error_message(bytes), sentence);
  }
}

TEST(Npz, DetectsEveryDamageThatChangesATensor) {
  const Bytes valid = encode_npz(kNpzTensors);
  int noticed = 0;
  for_each_damaged_file(valid, [&](const Bytes& bytes, std::size_t at) {
    const std::optional<Tensors> read = try_decode(decode_test_npz, bytes);
    if (!read) {
      ++noticed;
    } else {
      ASSERT_EQ(*read, kNpzTensors) << "damage at byte " << at;
    }
  });
  EXPECT_GT(noticed, 0);
}

/// Returns a limit for the size in bytes of one allocation of the decoder. Deflate expands one byte
/// to no more than 1032 bytes, a vector grows by doubling, and the decoder reads whole chunks.
std::size_t npz_memory_limit(std::size_t file_size) {
  return 2 * 1032 * file_size + (std::size_t{1} << 17);
}

RC_GTEST_PROP(Npz, ReadsOrRejectsRandomlyDamagedFiles, ()) {
  const Bytes bytes = make_randomly_damaged_copy(encode_npz(kNpzTensors));
  const AllocationProbe probe;
  static_cast<void>(try_decode(decode_test_npz, bytes));
  RC_ASSERT(probe.largest_request_bytes() <= npz_memory_limit(bytes.size()));
}

TEST(Npz, WriterRejectsDTypesAndNamesThatTheFormatCannotStore) {
  EXPECT_THROW(encode_npz(Tensors{{"x", DType::bfloat16, {1}, Bytes(2)}}), ContractError);
  EXPECT_THROW(encode_npz(Tensors(2, kNpzTensors[2])), ContractError);
}

TEST(Npz, C4_WriterRejectsANameThatIsTooLong) {
  const Tensors long_name{make_tensor(std::string(65532, 'n'), {}, std::array{1.0})};
  EXPECT_EQ(numeric::contract_message([&] { encode_npz(long_name); }),
            "encode_npz: a tensor has a name of 65532 bytes; expected at most 65531 (C4)");
  const Tensors longest{make_tensor(std::string(65531, 'n'), {}, std::array{1.0})};
  EXPECT_EQ(decode_test_npz(encode_npz(longest)), longest);
}

}  // namespace
}  // namespace normproof::ref::io
