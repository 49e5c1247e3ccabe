#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// An exclusive lock on a file or folder: at most one process holds it at a time. The destructor
/// releases it. The system releases it when the process ends, even if it is killed.
class FileLock {
 public:
  enum class LockWait { at_once, wait };

  /// Locks a file. An absent file is created, and it remains after the lock is released. If another
  /// process holds the lock, LockWait::at_once returns nothing, and LockWait::wait waits for the
  /// lock.
  /// Throws    FileError if the file cannot be created or locked
  static std::optional<FileLock> acquire(const std::filesystem::path& file, LockWait patience);

  /// Locks a folder without creating a file in it. If another process holds the lock,
  /// LockWait::at_once returns nothing, and LockWait::wait waits for the lock. Some file systems
  /// cannot lock folders; there the call succeeds without a lock.
  /// Throws    FileError if the folder cannot be opened
  static std::optional<FileLock> acquire_folder(const std::filesystem::path& folder,
                                                LockWait patience = LockWait::at_once);

 private:
  explicit FileLock(ref::io::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  ref::io::Descriptor descriptor_;
};

}  // namespace normproof::verification::support::process
