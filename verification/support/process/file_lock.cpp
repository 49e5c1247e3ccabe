#include "verification/support/process/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::support::process {

using ref::io::Descriptor;

namespace {

[[noreturn]] void cannot(const char* verb, const std::filesystem::path& file) {
  throw ref::numeric::FileError(fmt::format("cannot {} '{}': {}", verb, file.string(),
                                            std::generic_category().message(errno)));
}

/// Tries to lock the file behind the descriptor. Returns false if that fails; errno then has the
/// reason.
bool lock(const Descriptor& descriptor, int how) {
  return ref::io::retry_interrupted([&] { return ::flock(descriptor.get(), how); }) == 0;
}

int lock_flags(FileLock::LockWait patience) {
  return patience == FileLock::LockWait::wait ? LOCK_EX : LOCK_EX | LOCK_NB;
}

}  // namespace

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file, LockWait patience) {
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) cannot("write", file);
  if (lock(descriptor, lock_flags(patience))) return FileLock(std::move(descriptor));
  if (errno != EWOULDBLOCK) cannot("write", file);
  return std::nullopt;
}

std::optional<FileLock> FileLock::acquire_folder(const std::filesystem::path& folder,
                                                 LockWait patience) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) cannot("open", folder);
  if (!lock(descriptor, lock_flags(patience)) && errno == EWOULDBLOCK) return std::nullopt;
  return FileLock(std::move(descriptor));
}

}  // namespace normproof::verification::support::process
