#pragma once

#include <filesystem>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::golden::certify {

/// A folder that appears when it is complete: what is written stands in a folder beside it, which
/// takes the name at the end, and is gone where that end is not reached. What a killed process left
/// of another such folder of that name is removed first.
class NewFolder {
 public:
  /// Requires  `out` is absent or an empty folder
  /// Throws    UsageError that names `option`; FileError where the folder cannot be made
  NewFolder(const char* option, const std::filesystem::path& out);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// The folder to write into until it has its name.
  const std::filesystem::path& path() const { return path_; }

  /// Gives the folder its name.
  /// Throws    FileError where somebody else has taken it
  void keep();

  /// Makes a folder and those above it.
  /// Throws    FileError
  static void create(const std::filesystem::path& folder);

 private:
  std::filesystem::path out_, path_;
  ref::io::Descriptor held_;  ///< of path_, for others to see that it is being made
};

}  // namespace normproof::verification::golden::certify
