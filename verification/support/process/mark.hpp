#pragma once

#include <string>
#include <vector>

namespace normproof::verification::support::process {

/// A variable of the environment by which a process and all that it begins are known, in whatever
/// group or session, whoever their parents are.
class Mark {
 public:
  Mark();  ///< no other mark of this machine is the same
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  /// The environment of this process with the mark, for execve: valid as long as this is.
  char* const* environment() const { return pointers_.data(); }

  /// Kills every process that carries the mark, one amid execve too, and what those begin
  /// meanwhile. One that gave its environment away is not found.
  void end_all() const;

 private:
  long long made_;  ///< ticks since the machine began
  std::string text_;
  std::vector<char*> pointers_;
};

}  // namespace normproof::verification::support::process
