#pragma once

#include <filesystem>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::golden::certify {

/// A folder that appears only when it is complete. Files are written to a temporary folder next to
/// it. `publish` renames the temporary folder; if it is not called, the destructor removes the
/// temporary folder. The constructor first removes temporary folders of the same name that a killed
/// process left behind.
class NewFolder {
 public:
  /// Requires  `out` is absent or an empty folder
  /// Throws    UsageError that names `option`; FileError if the folder cannot be created
  NewFolder(const char* option, const std::filesystem::path& out);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Returns the path of the temporary folder, into which the caller writes files.
  const std::filesystem::path& path() const { return path_; }

  /// Renames the temporary folder to its final name.
  /// Throws    FileError if a folder of that name was created in the meantime
  void publish();

  /// Creates a folder and its parent folders.
  /// Throws    FileError
  static void create(const std::filesystem::path& folder);

 private:
  std::filesystem::path out_, path_;
  /// An open descriptor of the temporary folder. Its lock tells other processes that the folder is
  /// in use.
  ref::io::Descriptor held_;
};

}  // namespace normproof::verification::golden::certify
