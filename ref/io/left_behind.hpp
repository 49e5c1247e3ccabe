#pragma once

#include <filesystem>
#include <string_view>

namespace normproof::ref::io {

// Handles temporary files and folders named `<prefix><process id>...<suffix>`. A process creates
// one and renames it when it is complete. If the process is killed, it stays behind.

/// Marks the open file or folder as in use, until the descriptor is closed or the process ends in
/// any way. Returns false if another process uses it, or if it has no name any more. Otherwise
/// returns true, also if the file system has no locks.
bool lock_in_use(int descriptor);

/// Removes from a folder what killed processes left there, including folders with their contents. A
/// process scans a folder only once for each prefix and suffix.
///
/// Computes  removes an entry if its name has the form above, no process of this machine has that
///           id, and no process holds it, on any machine that shares the folder. Entries that
///           cannot be removed stay
void remove_left_behind(const std::filesystem::path& folder, std::string_view prefix,
                        std::string_view suffix);

}  // namespace normproof::ref::io
