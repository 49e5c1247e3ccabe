#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::io {

/// Replaces a file by the given bytes: wholly or not at all.
///
/// Computes  a temporary file in the folder of `path` takes the bytes and is fsynced, then takes
///           the name of `path` by rename, then the folder is fsynced. A reader sees the old file
///           or the new one, never a part. A symbolic link stays a link and the file it leads to is
///           replaced; an existing file keeps its permissions. A pipe or a character device such
///           as /dev/stdout has nothing to lose and is written directly
/// Requires  the folder of `path` exists and can be read and written; `path` is absent, a regular
///           file, a pipe or a character device
/// Throws    FileError that names `path` and the reason; then the temporary file is gone and the
///           old file is as it was. A process killed in the middle leaves the old file and a
///           temporary file .normproof-<process>-<number>.tmp, which the next one that writes into
///           the folder removes (left_behind.hpp). Only the failure of the last step,
///           the fsync of the folder, is reported with the new file in place, and the message says
///           so
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// Finds out before the work what would keep write_file from beginning: makes the temporary file
/// and removes it. What shows with the bytes alone, such as a full disk, stays hidden.
///
/// Throws    FileError as write_file does
void check_writable(const std::filesystem::path& path);

/// What is not read, of a file that somebody else has made.
struct ReadLimits {
  bool regular_alone = false;  ///< no pipe, which may have no writer: nothing waits
  std::size_t most_bytes = static_cast<std::size_t>(-1);
};

/// Reads a whole file or pipe.
///
/// Throws    FileError that names `path` and the reason: absent, a folder, a device, not readable,
///           empty, or beyond the limits
std::vector<std::byte> read_file(const std::filesystem::path& path, const ReadLimits& limits = {});
std::string read_text(const std::filesystem::path& path, const ReadLimits& limits = {});

}  // namespace normproof::ref::io
