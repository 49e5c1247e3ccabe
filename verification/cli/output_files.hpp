#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace normproof::verification::cli {

/// An option for a file or folder, and its value. The value is absent if the option is not given.
struct NamedFile {
  const char* option;
  std::optional<std::filesystem::path> path;
};

/// Checks before a command starts that its outputs can be written. No output may overwrite an input
/// or another output, even if its name is spelled differently or is a link. An output must not be
/// inside a folder that is an input. Two options may name the same device or pipe.
///
/// Throws    UsageError if two options name the same file, if a file is inside a folder of inputs,
///           or if a name is "-"; FileError if a file cannot be written
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Returns a function that writes `text()` to the file. If no file is given, the function does
/// nothing.
std::function<void()> to_file(const std::optional<std::filesystem::path>& path,
                              std::function<std::string()> text);

/// Calls every function, even after an earlier function has failed. So if a file cannot be written,
/// only this file is lost.
///
/// Throws    the first FileError that a function throws
void write_all(const std::vector<std::function<void()>>& writers);

}  // namespace normproof::verification::cli
