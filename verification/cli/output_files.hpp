#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace normproof::verification::cli {

/// A file or folder that the command line names, absent if the option is not given.
struct NamedFile {
  const char* option;
  std::optional<std::filesystem::path> path;
};

/// Refuses, before the work, outputs that could not be written or would replace an input or one
/// another, under another spelling or through a link too. Devices and pipes may be named twice.
/// An output may not be inside an input that is a folder.
///
/// Throws    UsageError if two name the same file, one is in a folder of inputs or is "-";
///           FileError if one cannot be written
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Writes text() to the file, if there is one.
std::function<void()> to_file(const std::optional<std::filesystem::path>& path,
                              std::function<std::string()> text);

/// Does all of them in turn, also after one has failed, so that a run of minutes loses no more than
/// what could not be written.
///
/// Throws    what the first that failed has thrown, if it is a FileError
void write_all(const std::vector<std::function<void()>>& writers);

}  // namespace normproof::verification::cli
