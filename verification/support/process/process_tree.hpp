#pragma once

#include <functional>
#include <optional>
#include <string>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// A child process together with all processes that it starts, in any process group or session. All
/// of them are killed when the child ends, when this object is destroyed, or when the thread that
/// created it ends.
///
/// A supervisor process starts the child. The supervisor is a subreaper (Linux): when the parent of
/// a descendant ends, the descendant becomes a child of the supervisor. So the supervisor can kill
/// all descendants.
class ProcessTree {
 public:
  ProcessTree() = default;  ///< Creates an object without a process.
  /// Starts a process that calls `f` and exits with the value that `f` returns.
  /// Requires  if the calling process has several threads, `f` may only do what a signal handler
  ///           may do, such as running another program
  /// Throws    std::system_error, whose message begins with `what`, if no process can be created
  ProcessTree(const std::string& what, const std::function<int()>& f);
  ProcessTree(ProcessTree&&) noexcept = default;
  ProcessTree& operator=(ProcessTree&& other) noexcept;
  ~ProcessTree();  ///< Kills every process of the tree and waits for the supervisor.

  /// Returns how the child ended, or nothing if it still runs. If the child has ended, all
  /// processes that it started have ended too.
  /// Requires  the requirement of Child::try_wait
  std::optional<ProcessEnding> try_wait() { return supervisor_.try_wait(); }

 private:
  void end();

  Child supervisor_;
};

}  // namespace normproof::verification::support::process
