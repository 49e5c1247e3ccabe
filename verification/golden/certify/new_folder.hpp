#pragma once

#include <filesystem>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::golden::certify {

/// A folder that appears only when it is complete. Files are written to a temporary folder next to
/// it, which is renamed at the end, or removed if the end is not reached. Temporary folders of this
/// name that a killed process left behind are removed first.
class NewFolder {
 public:
  /// Requires  `out` is absent or an empty folder
  /// Throws    UsageError that names `option`; FileError if the folder cannot be made
  NewFolder(const char* option, const std::filesystem::path& out);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Returns the temporary folder to write into.
  const std::filesystem::path& path() const { return path_; }

  /// Renames the temporary folder to its final name.
  /// Throws    FileError if that name has been taken meanwhile
  void publish();

  /// Creates a folder and its parents.
  /// Throws    FileError
  static void create(const std::filesystem::path& folder);

 private:
  std::filesystem::path out_, path_;
  ref::io::Descriptor held_;  ///< holds path_ open, which tells other processes that it is in use
};

}  // namespace normproof::verification::golden::certify
