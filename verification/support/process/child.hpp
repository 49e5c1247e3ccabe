#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace normproof::verification::support::process {

/// How a process ended: it was killed by a signal, or it exited with a status.
struct ProcessEnding {
  bool by_signal = false;
  int code = 0;  ///< number of the signal if by_signal is true, otherwise the exit status

  bool succeeded() const { return !by_signal && code == 0; }
  /// Returns a description such as "signal 9 (Killed)" or "status 3".
  std::string to_text() const;
};

struct ChildOptions {
  /// Whether the system kills the child process if the thread that started it ends first.
  bool ends_with_parent = false;
};

/// A child process. The destructor kills the process if it still runs and waits for its end, so
/// that no process remains.
class Child {
 public:
  /// Forks a process that calls `f` and exits with the value that `f` returns. The new process does
  /// not return from this call. If `f` throws an exception, the process ends by SIGABRT.
  /// Requires  if the calling process has several threads, `f` may only do what a signal handler
  ///           may do, such as running another program
  /// Throws    std::system_error, whose message begins with `what`, if no process can be created
  static Child begin(const std::string& what, const std::function<int()>& f,
                     ChildOptions options = {});
  Child() = default;  ///< Creates an object without a process.
  /// Takes ownership of a child process that was started by other means.
  explicit Child(pid_t process) : process_(process) {}

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t id() const { return process_; }
  /// Sends SIGKILL to the process.
  void kill() const;
  /// Waits until the process has ended, and returns how it ended.
  /// Requires  (C1) it was begun, and was not waited for
  ProcessEnding wait();
  /// Returns how the process ended, or nothing if it still runs. The requirement is the same as for
  /// wait().
  std::optional<ProcessEnding> try_wait();

 private:
  pid_t process_ = -1;  ///< -1 if there is no process, or after a wait for its end
};

}  // namespace normproof::verification::support::process
