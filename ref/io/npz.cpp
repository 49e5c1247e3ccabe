#include "ref/io/npz.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "ref/io/npy.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kEndOfEmptyArchive{"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22};
// The maximum length of a name. Libzip truncates a longer name without an error.
constexpr std::size_t kMaxNameBytes = 0xffff - kSuffix.size();
// The maximum number of unpacked bytes per packed byte: Deflate encodes at most 258 bytes in two
// bits.
constexpr zip_uint64_t kMaxInflationFactor = 1032;
constexpr std::size_t kReadBytes = std::size_t{1} << 16;
constexpr zip_uint16_t kZipTimeMidnight = 0;
constexpr zip_uint16_t kZipDateFirstDay =
    0x21;  // 1980-01-01, the first date that zip can represent

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Source = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;
using Entry = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

[[noreturn]] void fail_unreadable(std::string_view file, std::string_view reason) {
  file_failure(file, "the zip archive", fmt::format("cannot be read ({})", reason),
               "an unaltered .npz file");
}

[[noreturn]] void fail_unwritable(std::string_view reason) {
  throw numeric::FileError(fmt::format("the zip archive cannot be built in memory: {}", reason));
}

Archive open_for_reading(std::span<const std::byte> bytes, std::string_view file) {
  // Libzip would treat empty input as a new archive.
  if (bytes.size() < kEndOfEmptyArchive.size()) {
    fail_unreadable(file, "Not a zip archive");
  }
  ZipError error;
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get()),
                &zip_source_free);
  if (!source) fail_unreadable(file, error.text());
  Archive archive(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, error.get()),
                  &zip_discard);
  if (!archive && zip_error_code_zip(error.get()) == ZIP_ER_EXISTS) {
    fail_unreadable(file, "a name occurs twice");
  }
  if (!archive) fail_unreadable(file, error.text());
  static_cast<void>(source.release());  // now the archive owns it
  return archive;
}

/// Returns the description of an entry in the archive's directory. The description may be wrong.
zip_stat_t describe(zip_t* archive, zip_uint64_t index, std::string_view file) {
  constexpr zip_uint64_t kRequiredZipFields = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                              ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) < 0) fail_unreadable(file, zip_strerror(archive));
  if ((status.valid & kRequiredZipFields) != kRequiredZipFields)
    fail_unreadable(file, "an entry without sizes");
  return status;
}

std::vector<std::byte> read_entry(zip_t* archive, const zip_stat_t& status, std::string_view file) {
  const std::string field = fmt::format("entry '{}'", status.name);
  if (status.encryption_method != ZIP_EM_NONE ||
      (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)) {
    file_failure(file, field, "is encrypted or compressed in a way of its own",
                 "stored or deflated bytes");
  }
  if (status.size / kMaxInflationFactor > status.comp_size) {
    file_failure(
        file, field,
        fmt::format("claims {} bytes out of {} compressed ones", status.size, status.comp_size),
        fmt::format("at most {} for one", kMaxInflationFactor));
  }
  const Entry entry(zip_fopen_index(archive, status.index, 0), &zip_fclose);
  if (!entry) file_failure(file, field, "cannot be opened", "an unaltered .npz file");
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (;;) {  // up to the end of the entry, where the CRC-32 is checked
    bytes.resize(used + kReadBytes);
    const zip_int64_t count = zip_fread(entry.get(), bytes.data() + used, kReadBytes);
    if (count < 0) {
      file_failure(file, field, fmt::format("is damaged ({})", zip_file_strerror(entry.get())),
                   "an unaltered .npz file");
    }
    used += static_cast<std::size_t>(count);
    if (used > status.size || (count == 0 && used < status.size)) {
      file_failure(file, field, fmt::format("does not hold {} bytes", status.size),
                   "the size that the archive states");
    }
    if (count == 0) break;
  }
  bytes.resize(used);
  return bytes;
}

/// The dtypes that NumPy does not have. A tensor of such a dtype is stored as an array of bytes,
/// and the array's name contains the dtype.
constexpr DType kDTypesStoredAsBytes[] = {DType::float8_e4m3fn, DType::float8_e5m2,
                                          DType::float8_e8m0fnu, DType::float4_e2m1fn};

std::string dtype_suffix(DType dtype) {
  return fmt::format(".{}", to_string(dtype));
}

/// Returns the array that stores the tensor. For a tensor x of float8_e5m2, it is an array
/// "x.float8_e5m2" of uint8.
StoredTensor to_npy_array(StoredTensor tensor) {
  if (std::ranges::find(kDTypesStoredAsBytes, tensor.dtype) == std::end(kDTypesStoredAsBytes))
    return tensor;
  tensor.name += dtype_suffix(tensor.dtype);
  tensor.dtype = DType::uint8;
  return tensor;
}

StoredTensor from_npy_array(StoredTensor tensor, std::string_view file) {
  for (const DType dtype : kDTypesStoredAsBytes) {
    const std::string ending = dtype_suffix(dtype);
    if (tensor.dtype != DType::uint8 || !tensor.name.ends_with(ending)) continue;
    tensor.name.resize(tensor.name.size() - ending.size());
    tensor.dtype = dtype;
    if (const auto bad = find_invalid_byte(tensor))
      file_failure(file, fmt::format("tensor '{}'", tensor.name),
                   fmt::format("has the byte {} at element {}",
                               std::to_integer<int>(tensor.bytes[*bad]), *bad),
                   valid_bytes(dtype));
    break;
  }
  return tensor;
}

/// Adds the bytes of an array as an entry of the archive. The archive does not copy `array`, so
/// `array` must outlive the archive.
void add_entry(zip_t* archive, const StoredTensor& tensor, const std::vector<std::byte>& array) {
  const std::string name = tensor.name + std::string(kSuffix);
  zip_source_t* source = zip_source_buffer(archive, array.data(), array.size(), 0);
  if (source == nullptr) fail_unwritable(zip_strerror(archive));
  // With this flag, a name is marked as UTF-8 only if it is not ASCII. If UTF-8 were requested,
  // newer versions of libzip would mark every name.
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_GUESS);
  if (index < 0) {
    zip_source_free(source);
    fail_unwritable(zip_strerror(archive));
  }
  const auto entry = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) < 0 ||
      zip_file_set_dostime(archive, entry, kZipTimeMidnight, kZipDateFirstDay, 0) < 0) {
    fail_unwritable(zip_strerror(archive));
  }
}

std::vector<std::byte> read_written_archive(zip_source_t* source) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_source_stat(source, &status) < 0 || zip_source_open(source) < 0) {
    fail_unwritable(zip_error_strerror(zip_source_error(source)));
  }
  std::vector<std::byte> bytes(status.size);
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (count < 0 || static_cast<std::size_t>(count) != bytes.size()) fail_unwritable("short read");
  return bytes;
}

}  // namespace

std::vector<StoredTensor> decode_npz(std::span<const std::byte> bytes, std::string_view file,
                                     std::size_t max_bytes) {
  const Archive archive = open_for_reading(bytes, file);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  std::vector<StoredTensor> tensors;
  zip_uint64_t compressed = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    const zip_stat_t status = describe(archive.get(), i, file);
    std::string name = status.name;
    if (!name.ends_with(kSuffix)) {
      file_failure(file, fmt::format("entry '{}'", name), "is no array", "a name and .npy");
    }
    name.resize(name.size() - kSuffix.size());
    if (status.comp_size > bytes.size() - compressed) {
      fail_unreadable(file, "entries overlap or reach beyond the end");
    }
    compressed += status.comp_size;
    if (status.size > max_bytes)
      file_failure(file, fmt::format("entry '{}'", status.name),
                   fmt::format("has {} bytes unpacked", status.size),
                   fmt::format("at most {}, with those before it", max_bytes));
    max_bytes -= status.size;
    tensors.push_back(from_npy_array(
        decode_npy(read_entry(archive.get(), status, file), std::move(name), file), file));
  }
  std::ranges::sort(tensors, {}, &StoredTensor::name);
  const auto twin = std::ranges::adjacent_find(tensors, {}, &StoredTensor::name);
  if (twin != tensors.end())
    file_failure(file, fmt::format("tensor '{}'", twin->name), "occurs twice",
                 "one array of a tensor, of its dtype or of the bytes of 8 bits");
  return tensors;
}

std::vector<std::byte> encode_npz(std::span<const StoredTensor> tensors) {
  const std::vector<const StoredTensor*> sorted = sorted_by_name("encode_npz", tensors);
  if (sorted.empty()) {  // libzip would delete an archive without entries
    const auto bytes = std::as_bytes(std::span(kEndOfEmptyArchive));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<StoredTensor> kept;
  std::vector<std::vector<std::byte>> arrays;  // libzip reads them when the archive is closed
  for (const StoredTensor* tensor : sorted) {
    kept.push_back(to_npy_array(*tensor));
    if (const std::size_t length = kept.back().name.size(); length > kMaxNameBytes) {
      numeric::contract_failure("encode_npz", "a tensor",
                                fmt::format("has a name of {} bytes", length),
                                fmt::format("at most {}", kMaxNameBytes), numeric::Clause::C4);
    }
    arrays.push_back(encode_npy(kept.back()));
  }
  ZipError error;
  const Source target(zip_source_buffer_create(nullptr, 0, 0, error.get()), &zip_source_free);
  if (!target) fail_unwritable(error.text());
  zip_source_keep(target.get());  // one reference for the archive, one to read the result
  Archive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, error.get()), &zip_discard);
  if (!archive) {
    zip_source_free(target.get());
    fail_unwritable(error.text());
  }
  for (std::size_t i = 0; i < kept.size(); ++i) add_entry(archive.get(), kept[i], arrays[i]);
  if (zip_close(archive.get()) < 0) fail_unwritable(zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closing has freed the archive
  return read_written_archive(target.get());
}

}  // namespace normproof::ref::io
