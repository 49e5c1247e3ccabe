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
using tests::ref::io::for_each_damage;
using tests::ref::io::mutated;
using tests::ref::io::Tensors;
using tests::ref::io::try_decode;

const Tensors kNpzTensors{
    {"a/b", DType::boolean, {2}, {std::byte{0}, std::byte{1}}},
    {"n", DType::int64, {0, 3}, {}},
    make_tensor("x", {2, 2}, std::array{1.0, -0.0, 0x1p-1074, 1e300}),
    {"\xc3\xa9", DType::float16, {}, {std::byte{0x01}, std::byte{0x7c}}},  // a signaling NaN
};

Tensors npz_decoded(std::span<const std::byte> bytes) {
  return decode_npz(bytes, "f.npz");
}

TEST(Npz, StoresEightBitFormatsAsBytes) {
  const Tensors tensors{
      {"s", DType::float8_e8m0fnu, {1}, {std::byte{127}}},
      {"x", DType::float8_e4m3fn, {2}, {std::byte{0x7e}, std::byte{0xff}}},
      {"y", DType::float8_e5m2, {2, 1}, {std::byte{0x01}, std::byte{0x7b}}},
  };
  EXPECT_EQ(npz_decoded(encode_npz(tensors)), tensors);
  const Tensors bytes{{"x.float8_e4m3fn", DType::uint8, {1}, {std::byte{0x38}}},
                      {"x.int4", DType::uint8, {1}, {std::byte{0x38}}}};
  EXPECT_EQ(npz_decoded(encode_npz(bytes))[0],
            (StoredTensor{"x", DType::float8_e4m3fn, {1}, {std::byte{0x38}}}));
  EXPECT_EQ(npz_decoded(encode_npz(bytes))[1], bytes[1]);
}

std::string npz_failure(const Bytes& bytes) {
  try {
    npz_decoded(bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the bytes with every occurrence of one text replaced by another of the same length.
Bytes replaced(const Bytes& bytes, std::string_view from, std::string_view to) {
  std::string text = text_of(bytes);
  int count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    text.replace(at, from.size(), to);
    ++count;
  }
  EXPECT_GT(count, 0);
  return bytes_of(text);
}

/// Returns an archive of one deflated entry.
Bytes deflated(const std::string& name, const Bytes& content) {
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

/// Returns the same archive with a different uncompressed size in both headers of its one entry.
Bytes with_claim(Bytes bytes, std::uint32_t size) {
  const std::size_t directory = text_of(bytes).find("PK\x01\x02");
  std::memcpy(&bytes[22], &size, sizeof size);
  std::memcpy(&bytes[directory + 24], &size, sizeof size);
  return bytes;
}

TEST(Npz, ReadsBackWhatItWrote) {
  EXPECT_EQ(npz_decoded(encode_npz(kNpzTensors)), kNpzTensors);
}

TEST(Npz, WritesAnEmptyArchiveForNoTensors) {
  const Bytes bytes = encode_npz({});
  EXPECT_EQ(bytes.size(), 22U);
  EXPECT_TRUE(npz_decoded(bytes).empty());
}

TEST(Npz, ReturnsTensorsInOrderOfNames) {
  const Tensors reversed(kNpzTensors.rbegin(), kNpzTensors.rend());
  EXPECT_EQ(encode_npz(reversed), encode_npz(kNpzTensors));
  // Creates an archive in a different order by renaming "x.npy" to "0.npy".
  const Tensors read = npz_decoded(replaced(encode_npz(kNpzTensors), "x.npy", "0.npy"));
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

TEST(Npz, EntriesAreStoredWithTheFirstZipDate) {
  const std::string text = text_of(encode_npz(kNpzTensors));
  const std::string version_flags_method_time_date("\x0a\0\0\0\0\0\0\0\x21\0", 10);
  EXPECT_EQ(text.substr(0, 14), std::string("PK\x03\x04", 4) + version_flags_method_time_date);
}

TEST(Npz, RejectsBytesThatAreNotAnArchive) {
  const std::string reason =
      "f.npz: the zip archive cannot be read (Not a zip archive); expected an unaltered .npz file";
  EXPECT_EQ(npz_failure({}), reason);
  EXPECT_EQ(npz_failure(bytes_of("text")), reason);
  EXPECT_EQ(npz_failure(bytes_of(std::string(5000, 'P'))), reason);
}

TEST(Npz, RejectsAlteredElements) {
  Bytes bytes = encode_npz(kNpzTensors);
  const std::size_t at = text_of(bytes).find(text_of(kNpzTensors[2].bytes));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= std::byte{1};
  EXPECT_EQ(npz_failure(bytes),
            "f.npz: entry 'x.npy' is damaged (CRC error); expected an unaltered .npz file");
}

TEST(Npz, RejectsDuplicateNames) {
  Tensors tensors{make_tensor("aa", {1}, std::array{1.0}), make_tensor("ab", {1}, std::array{1.0})};
  EXPECT_EQ(
      npz_failure(replaced(encode_npz(tensors), "ab.npy", "aa.npy")),
      "f.npz: the zip archive cannot be read (a name occurs twice); expected an unaltered .npz "
      "file");
}

TEST(Npz, RejectsEntriesThatAreNotArrays) {
  EXPECT_EQ(npz_failure(replaced(encode_npz(kNpzTensors), "a/b.npy", "a/b.txt")),
            "f.npz: entry 'a/b.txt' is no array; expected a name and .npy");
  const Tensors one{make_tensor("x", {}, std::array{1.0})};
  EXPECT_EQ(npz_failure(replaced(encode_npz(one), "x.npy", ".npy/")),
            "f.npz: entry '.npy/' is no array; expected a name and .npy");
}

/// The second of two entries lies inside the bytes of the first, so the file counts twice. A chain
/// of such entries would let a small file grow without bound.
TEST(Npz, RejectsOverlappingEntries) {
  constexpr std::size_t kDirectoryEntry = 46 + 5;  // the fixed part and "b.npy"
  constexpr std::size_t kOffsetField = 42;
  const StoredTensor large{"b", DType::uint8, {1000}, Bytes(1000)};
  const std::string inner = text_of(encode_npz(Tensors{large}));
  const std::size_t local_size = inner.size() - 22 - kDirectoryEntry;
  const std::string local = inner.substr(0, local_size);
  std::string directory = inner.substr(local_size, kDirectoryEntry);

  const StoredTensor outer{"a", DType::uint8, {local_size}, bytes_of(local)};
  std::string text = text_of(encode_npz(Tensors{outer}));
  const std::size_t offset = text.find(local);
  ASSERT_NE(offset, std::string::npos);
  directory[kOffsetField] = static_cast<char>(offset & 0xff);
  directory[kOffsetField + 1] = static_cast<char>(offset >> 8);
  const std::size_t end = text.size() - 22;
  text[end + 8] = text[end + 10] = 2;                                 // number of entries
  constexpr std::size_t kArrayEntry = 46 + 5;                         // "a.npy"
  text[end + 12] = static_cast<char>(kArrayEntry + kDirectoryEntry);  // size of the directory
  text.insert(end, directory);
  EXPECT_EQ(npz_failure(bytes_of(text)),
            "f.npz: the zip archive cannot be read (entries overlap or reach beyond the end); "
            "expected an unaltered .npz file");
}

TEST(Npz, ReadsDeflatedEntries) {
  const StoredTensor zeros = make_tensor("x", {1000}, std::vector<double>(1000));
  const Bytes bytes = deflated("x.npy", encode_npy(zeros));
  EXPECT_LT(bytes.size(), zeros.bytes.size());
  EXPECT_EQ(npz_decoded(bytes), Tensors{zeros});
}

TEST(Npz, RejectsSizesThatDeflateCannotReach) {
  const Bytes content = encode_npy(make_tensor("x", {100}, std::vector<double>(100)));
  const Bytes bytes = with_claim(deflated("x.npy", content), 0xfffffff0);
  const AllocationProbe probe;
  EXPECT_THAT(npz_failure(bytes),
              MatchesRegex("f.npz: entry 'x.npy' claims 4294967280 bytes out of [0-9]+ compressed "
                           "ones; expected at most 1032 for one"));
  EXPECT_LE(probe.largest(), std::size_t{1} << 17);
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

TEST(Npz, RejectsASizeThatDoesNotMatchTheEntry) {
  constexpr std::size_t kZeros = std::size_t{1} << 22;
  const Bytes bytes = deflated("x.npy", Bytes(kZeros));
  const auto sentence = [](std::uint32_t claim) {
    return "f.npz: entry 'x.npy' does not hold " + std::to_string(claim) +
           " bytes; expected the size that the archive states";
  };
  for (const std::uint32_t claim : {std::uint32_t{kZeros - 1}, std::uint32_t{kZeros + 1}}) {
    EXPECT_EQ(npz_failure(with_claim(bytes, claim)), sentence(claim));
  }
  const Bytes bomb = with_claim(bytes, 1000);
  const AllocationProbe probe;
  EXPECT_EQ(npz_failure(bomb), sentence(1000));
  EXPECT_LE(probe.largest(), std::size_t{1} << 18);
}

TEST(Npz, RejectsEncryptionAndOtherCompression) {
  const Bytes valid = encode_npz(Tensors{make_tensor("x", {}, std::array{1.0})});
  const std::size_t directory = text_of(valid).find("PK\x01\x02");
  // Newer versions of libzip compare the sizes and reject the supposedly encrypted entry earlier.
  const auto sentence = testing::AnyOf(
      "f.npz: entry 'x.npy' is encrypted or compressed in a way of its own; expected stored or "
      "deflated bytes",
      testing::StartsWith("f.npz: the zip archive cannot be read (Zip archive inconsistent: "));
  for (const auto& [field, value] : {std::pair{6, 1}, std::pair{8, 12}}) {  // encrypted, bzip2
    Bytes bytes = valid;
    bytes[static_cast<std::size_t>(field)] = std::byte(value);
    bytes[directory + static_cast<std::size_t>(field) + 2] = std::byte(value);
    EXPECT_THAT(npz_failure(bytes), sentence);
  }
}

TEST(Npz, DetectsEveryDamageThatHasAnEffect) {
  const Bytes valid = encode_npz(kNpzTensors);
  int noticed = 0;
  for_each_damage(valid, [&](const Bytes& bytes, std::size_t at) {
    const std::optional<Tensors> read = try_decode(npz_decoded, bytes);
    if (!read) {
      ++noticed;
    } else {
      ASSERT_EQ(*read, kNpzTensors) << "damage at byte " << at;
    }
  });
  EXPECT_GT(noticed, 0);
}

/// Returns the maximum size of one allocation: deflate expands a byte to at most 1032, a vector
/// grows by doubling, and a whole chunk is read at once.
std::size_t npz_memory_limit(std::size_t file_size) {
  return 2 * 1032 * file_size + (std::size_t{1} << 17);
}

RC_GTEST_PROP(Npz, ReadsOrRejectsHostileBytes, ()) {
  const Bytes bytes = mutated(encode_npz(kNpzTensors));
  const AllocationProbe probe;
  static_cast<void>(try_decode(npz_decoded, bytes));
  RC_ASSERT(probe.largest() <= npz_memory_limit(bytes.size()));
}

TEST(Npz, WriterRejectsWhatTheFormatCannotHold) {
  EXPECT_THROW(encode_npz(Tensors{{"x", DType::bfloat16, {1}, Bytes(2)}}), ContractError);
  EXPECT_THROW(encode_npz(Tensors(2, kNpzTensors[2])), ContractError);
}

TEST(Npz, C4_WriterRejectsANameThatIsTooLong) {
  const Tensors long_name{make_tensor(std::string(65532, 'n'), {}, std::array{1.0})};
  EXPECT_EQ(numeric::contract_message([&] { encode_npz(long_name); }),
            "encode_npz: a tensor has a name of 65532 bytes; expected at most 65531 (C4)");
  const Tensors longest{make_tensor(std::string(65531, 'n'), {}, std::array{1.0})};
  EXPECT_EQ(npz_decoded(encode_npz(longest)), longest);
}

}  // namespace
}  // namespace normproof::ref::io
