#include "ref/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>

#include "ref/io/descriptor.hpp"
#include "ref/io/left_behind.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

using std::filesystem::path;

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr mode_t kNewFileMode = 0666;  // before the umask is applied
constexpr mode_t kPermissionBits = 07777;

[[noreturn]] void fail_with_reason(std::string_view verb, const path& file,
                                   std::string_view reason) {
  throw numeric::FileError(fmt::format("cannot {} '{}': {}", verb, file.string(), reason));
}

[[noreturn]] void fail_with_reason(std::string_view verb, const path& file, int error) {
  fail_with_reason(verb, file, std::generic_category().message(error));
}

path parent_folder(const path& file) {
  return file.has_parent_path() ? file.parent_path() : path(".");
}

/// Throws the error for a temporary file that cannot be created beside `target`. If the folder is
/// read-only, the message says so.
[[noreturn]] void fail_to_create_beside(const path& target, int error) {
  if (error == EACCES || error == EROFS)
    fail_with_reason(
        "write", target,
        fmt::format("the folder '{}' is read-only ({})", parent_folder(target).string(),
                    std::generic_category().message(error)));
  fail_with_reason("write", target, error);
}

/// A temporary file in the folder of the target. The destructor removes it, unless it was renamed
/// to the target.
class TemporaryFile {
 public:
  TemporaryFile(int folder, const path& target) : folder_(folder), target_(target) {
    remove_leftover_entries(parent_folder(target), ".normproof-", ".tmp");
    do {
      name_ = fmt::format(".normproof-{}-{}.tmp", ::getpid(), number_++);
      descriptor_.emplace(
          ::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode));
    } while (descriptor_->is_open() ? !try_lock_as_in_use(descriptor_->get()) : errno == EEXIST);
    if (!descriptor_->is_open()) fail_to_create_beside(target_, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  void fill(std::span<const std::byte> bytes, std::optional<mode_t> permissions) {
    if (const int error = write_all(descriptor_->get(), bytes))
      fail_with_reason("write", target_, error);
    if (permissions && ::fchmod(descriptor_->get(), *permissions) < 0) {
      fail_with_reason("write", target_, errno);
    }
    if (retry_interrupted([&] { return ::fsync(descriptor_->get()); }) < 0 ||
        descriptor_->close() < 0) {
      fail_with_reason("write", target_, errno);
    }
  }

  void replace_target() {
    if (::renameat(folder_, name_.c_str(), folder_, target_.filename().c_str()) < 0) {
      fail_with_reason("write", target_, errno);
    }
    renamed_ = true;
  }

 private:
  int folder_;
  path target_;
  std::string name_;
  unsigned number_ = 0;
  std::optional<Descriptor> descriptor_;
  bool renamed_ = false;
};

void write_directly(const path& file, std::span<const std::byte> bytes) {
  Descriptor descriptor(
      retry_interrupted([&] { return ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC); }));
  if (!descriptor.is_open()) fail_with_reason("write", file, errno);
  if (const int error = write_all(descriptor.get(), bytes)) fail_with_reason("write", file, error);
  if (descriptor.close() < 0) fail_with_reason("write", file, errno);
}

/// Replaces the target by a file with the given bytes. If `bytes` is null, the function does only
/// the steps that come before writing.
void replace_target_file(const path& target, const std::span<const std::byte>* bytes,
                         std::optional<mode_t> permissions) {
  const path parent = parent_folder(target);
  const Descriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      fail_with_reason("write", target,
                       fmt::format("the folder '{}' does not exist", parent.string()));
    }
    fail_with_reason("write", target, errno);
  }
  TemporaryFile temporary(folder.get(), target);
  if (bytes == nullptr) return;
  temporary.fill(*bytes, permissions);
  temporary.replace_target();
  const bool synced = retry_interrupted([&] { return ::fsync(folder.get()); }) == 0;
  if (!synced && errno != EINVAL && errno != ENOTSUP) {  // both mean that there is nothing to sync
    fail_with_reason("make durable", target,
                     fmt::format("the file is in place, but its folder reports: {}",
                                 std::generic_category().message(errno)));
  }
}

/// Reads a file to its end. `size` is the size that the system reports. The file may be longer: the
/// system reports 0 for a pipe, and a file may grow while it is read.
void read_to_end(int descriptor, std::size_t size, const path& file, std::size_t max_bytes,
                 std::vector<std::byte>& bytes) {
  bytes.reserve(size + 1);
  std::size_t used = 0;
  for (;;) {
    const std::size_t room = bytes.capacity() - used;
    bytes.resize(used + (room > 0 ? std::min(room, kChunk) : kChunk));
    const ssize_t count = retry_interrupted(
        [&] { return ::read(descriptor, bytes.data() + used, bytes.size() - used); });
    if (count < 0) fail_with_reason("read", file, errno);
    used += static_cast<std::size_t>(count);
    if (used > max_bytes)
      fail_with_reason("read", file, fmt::format("it has more than {} bytes", max_bytes));
    bytes.resize(used);
    if (count == 0) return;
  }
}

void write_or_check_writable(const path& file, const std::span<const std::byte>* bytes) {
  if (!file.has_filename()) fail_with_reason("write", file, "it names no file");
  struct stat link = {};
  const bool is_link = ::lstat(file.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  struct stat status = {};
  if (::stat(file.c_str(), &status) < 0) {
    if (is_link) fail_with_reason("write", file, "it is a symbolic link that leads to no file");
    return replace_target_file(file, bytes, std::nullopt);
  }
  if (S_ISDIR(status.st_mode)) fail_with_reason("write", file, "it is a folder");
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) {
    if (bytes != nullptr) write_directly(file, *bytes);
    return;
  }
  if (!S_ISREG(status.st_mode)) fail_with_reason("write", file, "it is not a regular file");
  replace_target_file(is_link ? std::filesystem::canonical(file) : file, bytes,
                      status.st_mode & kPermissionBits);
}

}  // namespace

void write_file(const path& file, std::span<const std::byte> bytes) {
  write_or_check_writable(file, &bytes);
}

void write_file(const path& file, std::string_view text) {
  write_file(file, std::as_bytes(std::span(text.data(), text.size())));
}

void check_writable(const path& file) {
  write_or_check_writable(file, nullptr);
}

std::vector<std::byte> read_file(const path& file, const ReadLimits& limits) {
  // Without O_NONBLOCK, opening a pipe that has no writer would block.
  const int waits = limits.regular_files_only ? O_NONBLOCK : 0;
  const Descriptor descriptor(retry_interrupted(
      [&] { return ::open(file.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC | waits); }));
  struct stat status = {};
  if (!descriptor.is_open() || ::fstat(descriptor.get(), &status) < 0)
    fail_with_reason("read", file, errno);
  if (S_ISDIR(status.st_mode)) fail_with_reason("read", file, "it is a folder");
  if (limits.regular_files_only && !S_ISREG(status.st_mode))
    fail_with_reason("read", file, "it is not a regular file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    fail_with_reason("read", file, "it is neither a regular file nor a pipe");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  std::vector<std::byte> bytes;
  try {
    if (size > limits.max_bytes)
      fail_with_reason("read", file,
                       fmt::format("it has {} bytes; expected at most {}", size, limits.max_bytes));
    read_to_end(descriptor.get(), size, file, limits.max_bytes, bytes);
  } catch (const std::bad_alloc&) {
    fail_with_reason("read", file,
                     fmt::format("it does not fit in memory ({} bytes)", status.st_size));
  }
  if (bytes.empty()) fail_with_reason("read", file, "it is empty");
  return bytes;
}

std::string read_text(const path& file, const ReadLimits& limits) {
  const std::vector<std::byte> bytes = read_file(file, limits);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace normproof::ref::io
