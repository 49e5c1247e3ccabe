#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// A file or a folder at which this process alone is at work; the system frees it at the end of the
/// scope or of the process, however that comes.
class FileLock {
 public:
  enum class Patience { at_once, wait };

  /// The lock on a file, which is made where it is absent, and stays. Nothing where another holds
  /// it; with `wait`, once that one has let it go.
  /// Throws    FileError where the file cannot be made or locked
  static std::optional<FileLock> take(const std::filesystem::path& file, Patience patience);

  /// The lock on a folder, which leaves no file; nothing where another holds it, or with `wait`
  /// once that one has let it go. A file system that cannot lock a folder lets everyone have it.
  /// Throws    FileError where the folder cannot be opened
  static std::optional<FileLock> take_folder(const std::filesystem::path& folder,
                                             Patience patience = Patience::at_once);

 private:
  explicit FileLock(ref::io::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  ref::io::Descriptor descriptor_;
};

}  // namespace normproof::verification::support::process
