#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace normproof::verification::cli {

/// A file or folder named by an option; absent if the option is not given.
struct NamedFile {
  const char* option;
  std::optional<std::filesystem::path> path;
};

/// Checks before the work that the outputs can be written, and that none replaces an input or
/// another output, also under another spelling or through a link. Devices and pipes may be named
/// twice.
/// An output may not be inside an input that is a folder.
///
/// Throws    UsageError if two options name the same file, one is in a folder of inputs or is "-";
///           FileError if a file cannot be written
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Returns a function that writes text() to the file, if there is one.
std::function<void()> to_file(const std::optional<std::filesystem::path>& path,
                              std::function<std::string()> text);

/// Calls all of them in turn, even after one failed, so that after minutes of work only the files
/// that could not be written are lost.
///
/// Throws    the first FileError thrown
void write_all(const std::vector<std::function<void()>>& writers);

}  // namespace normproof::verification::cli
