#pragma once

#include <functional>
#include <optional>
#include <string>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// A child process and all processes that it starts, in whatever group or session they run. None of
/// them outlives the child, this object or the thread that began it.
///
/// A supervisor process begins the child. It is a subreaper: every descendant whose parent ends
/// becomes a child of the supervisor, which therefore can kill all of them.
class ProcessTree {
 public:
  ProcessTree() = default;  ///< no process
  /// Begins a process that calls f and exits with the value that f returns.
  /// Requires  if this process has several threads, f does only what a signal handler may do, such
  ///           as running another program
  /// Throws    std::system_error, beginning with `what`, if no process can be created
  ProcessTree(const std::string& what, const std::function<int()>& f);
  ProcessTree(ProcessTree&&) noexcept = default;
  ProcessTree& operator=(ProcessTree&& other) noexcept;
  ~ProcessTree();  ///< Kills every process of the tree and waits for the supervisor.

  /// Returns how the child ended, or nothing if it still runs. If it has ended, so have all
  /// processes that it started.
  /// Requires  those of Child::try_wait
  std::optional<Ending> try_wait() { return supervisor_.try_wait(); }

 private:
  void end();

  Child supervisor_;
};

}  // namespace normproof::verification::support::process
