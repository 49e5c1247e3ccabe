#pragma once

#include <filesystem>
#include <string_view>

namespace normproof::ref::io {

// What a process makes under a name of its own, `<prefix><number of the process>...<suffix>`, until
// it takes its place: where the process is killed, it stays.

/// Says that the open file or folder is being made, until the descriptor is closed or the process
/// ends, however that comes.
/// Computes  false where it is somebody else's, or has no name any more; true else, also where the
///           file system has no locks
bool hold(int descriptor);

/// Removes from a folder what killed processes left there, folders with all they hold. A process
/// looks through a folder once for each prefix and suffix.
///
/// Computes  what goes: its name has the form above, no process of this machine has the number, and
///           nobody holds it, on any machine that shares the folder. What cannot be removed stays
void remove_left_behind(const std::filesystem::path& folder, std::string_view prefix,
                        std::string_view suffix);

}  // namespace normproof::ref::io
