#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace normproof::verification::support::process {

/// How a process ended: by a signal, or by exiting with a status.
struct Ending {
  bool by_signal = false;
  int code = 0;  ///< the signal's number if by_signal, else the exit status

  bool succeeded() const { return !by_signal && code == 0; }
  /// Returns "signal 9 (Killed)" or "status 3".
  std::string to_text() const;
};

struct ChildOptions {
  /// The process leads a new group. kill() then also reaches its descendants, and descendants that
  /// outlive it are killed when its end is seen.
  bool leads_group = false;
  /// The system kills the process if the thread that began it ends first.
  bool ends_with_parent = false;
};

/// A child process. If it still runs at the end of the scope, it is killed and waited for, so that
/// no process is left behind.
class Child {
 public:
  /// Forks a process that calls f and exits with the value that f returns. It never returns from
  /// here into the caller's code; an exception of f ends it by SIGABRT.
  /// Requires  if this process has several threads, f does only what a signal handler may do, such
  ///           as running another program
  /// Throws    std::system_error, beginning with `what`, if no process can be created
  static Child begin(const std::string& what, const std::function<int()>& f,
                     ChildOptions options = {});
  Child() = default;  ///< no process
  /// Takes ownership of a child process that was begun in another way.
  explicit Child(pid_t process) : process_(process) {}

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t id() const { return process_; }
  /// Sends SIGKILL to the process, and to its group if it leads one.
  void kill() const;
  /// Waits for the process to end.
  /// Requires  (C1) it was begun, and was not waited for
  Ending wait();
  /// Returns how the process ended, or nothing if it still runs. Has the requirements of wait().
  std::optional<Ending> try_wait();

 private:
  /// Returns whether the process has ended and, if it leads a group, kills the rest of that group.
  /// A process that leads no group is not queried and counts as ended. `flags` are those of waitid.
  bool kill_rest_of_group(int flags) const;

  pid_t process_ = -1;  ///< -1 if none was begun or it was waited for
  bool leads_group_ = false;
};

}  // namespace normproof::verification::support::process
