#pragma once

#include <filesystem>
#include <optional>

namespace normproof::verification::training {

/// A folder in which this process alone is at work; the system frees it at the end of the scope or
/// of the process. It leaves no file.
class FolderLock {
 public:
  /// Nothing where another process holds it. A file system that cannot lock a folder lets everyone
  /// have it.
  /// Throws    FileError where the folder cannot be opened
  static std::optional<FolderLock> take(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace normproof::verification::training
