#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::io {

/// Replaces a file by a file with the given bytes, either completely or not at all.
///
/// Computes  writes the bytes to a temporary file in the folder of `path` and syncs it; renames it
///           to `path`; then syncs the folder. A reader sees the old file or the new one, never a
///           part. If `path` is a symbolic link, it remains a link, and the file that it leads to
///           is replaced. An existing file keeps its permissions. A pipe or a character device such
///           as /dev/stdout is written directly
/// Requires  the folder of `path` exists and can be read and written; `path` is absent, a regular
///           file, a pipe or a character device
/// Throws    FileError that names `path` and the reason. In this case the temporary file is removed
///           and the old file is unchanged. If a process is killed while it writes, the old file
///           and a temporary file .normproof-<process>-<number>.tmp remain. The next process that
///           writes into the folder removes the temporary file (left_behind.hpp). If only the last
///           step fails, the sync of the folder, the new file is in place, and the message says so
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// Checks in advance whether write_file can start. It creates the temporary file and removes it. It
/// does not detect failures that depend on the bytes, such as a full disk.
///
/// Throws    FileError as write_file does
void check_writable(const std::filesystem::path& path);

/// Limits for reading a file from an untrusted source.
struct ReadLimits {
  bool regular_files_only = false;  ///< rejects pipes, which may have no writer and would block
  std::size_t max_bytes = static_cast<std::size_t>(-1);
};

/// Reads a whole file or pipe.
///
/// Throws    FileError that names `path` and the reason: absent, a folder, a device, not readable,
///           empty, or beyond the limits
std::vector<std::byte> read_file(const std::filesystem::path& path, const ReadLimits& limits = {});
std::string read_text(const std::filesystem::path& path, const ReadLimits& limits = {});

}  // namespace normproof::ref::io
