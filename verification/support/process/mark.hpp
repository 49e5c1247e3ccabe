#pragma once

#include <string>
#include <vector>

namespace normproof::verification::support::process {

/// Tags a process tree through an environment variable, so that every descendant can be killed, in
/// whatever group or session it runs and whoever its parent is.
class Mark {
 public:
  Mark();  ///< makes a mark that is unique on this machine
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  /// The environment of this process plus the mark, for execve. Valid as long as this object.
  char* const* environment() const { return pointers_.data(); }

  /// Kills every process that carries the mark, including processes during execve and those that
  /// start meanwhile. A process that dropped its environment is not found.
  void kill_all() const;

 private:
  long long made_;  ///< clock ticks since boot
  std::string text_;
  std::vector<char*> pointers_;
};

}  // namespace normproof::verification::support::process
