#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// An exclusive lock on a file or a folder, held by one process at a time. The system releases it
/// at the end of the scope or of the process, even if the process is killed.
class FileLock {
 public:
  enum class LockWait { at_once, wait };

  /// Locks a file, which is created if absent and is kept afterwards. If another process holds the
  /// lock, returns nothing, or with Patience::wait waits until it is released.
  /// Throws    FileError if the file cannot be created or locked
  static std::optional<FileLock> acquire(const std::filesystem::path& file, LockWait patience);

  /// Locks a folder without creating a file. If another process holds the lock, returns nothing, or
  /// with Patience::wait waits until it is released. On a file system that cannot lock folders,
  /// every process gets the lock.
  /// Throws    FileError if the folder cannot be opened
  static std::optional<FileLock> acquire_folder(const std::filesystem::path& folder,
                                                LockWait patience = LockWait::at_once);

 private:
  explicit FileLock(ref::io::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  ref::io::Descriptor descriptor_;
};

}  // namespace normproof::verification::support::process
