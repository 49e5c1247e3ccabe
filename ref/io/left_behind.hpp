#pragma once

#include <filesystem>
#include <string_view>

namespace normproof::ref::io {

// Handles temporary files and folders named `<prefix><process id>...<suffix>`. A process creates
// such an entry and renames it when it is complete. If the process is killed, the entry remains.

/// Locks an open file or folder, to mark it as in use. The lock ends when the descriptor is closed
/// or the process ends. Returns false if another process holds the lock, or if the file has been
/// deleted. Returns true if the lock succeeds, or if the file system has no locks.
bool try_lock_as_in_use(int descriptor);

/// Removes temporary files and folders that killed processes left in a folder. Each process scans a
/// folder only once for each prefix and suffix.
///
/// Computes  removes an entry if its name is <prefix><process id>...<suffix>, no process with this
///           id runs on this machine, and no process on any machine that shares the folder has
///           locked the entry. Entries that cannot be removed stay
void remove_leftover_entries(const std::filesystem::path& folder, std::string_view prefix,
                             std::string_view suffix);

}  // namespace normproof::ref::io
