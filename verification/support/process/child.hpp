#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace normproof::verification::support::process {

/// How a process ended.
struct Ending {
  bool by_signal = false;
  int code = 0;  ///< the signal, or the status that it exited with

  bool succeeded() const { return !by_signal && code == 0; }
  /// "signal 9 (Killed)" or "status 3"
  std::string to_text() const;
};

struct ChildOptions {
  /// The first of a group of its own: kill() reaches what it began, too, and what it leaves behind
  /// is killed when its end is seen.
  bool leads_group = false;
  /// The system kills it where the thread that began it ends before.
  bool ends_with_parent = false;
};

/// A process that this one has begun. One that still runs at the end of the scope is killed and
/// waited for, so that none is left behind.
class Child {
 public:
  /// Begins a process that does f and exits with what f returns; it never comes back from here. An
  /// exception of f ends it by SIGABRT.
  /// Requires  where this process has several threads, f does what a signal handler may alone,
  ///           such as running another program
  /// Throws    std::system_error, beginning with `what`, where no process can be made
  static Child begin(const std::string& what, const std::function<int()>& f,
                     ChildOptions options = {});
  Child() = default;  ///< none
  /// Takes over a process of ours that was begun in another way.
  explicit Child(pid_t process) : process_(process) {}

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t id() const { return process_; }
  /// Ends it, and its group where it leads one, without a chance to object.
  void kill() const;
  /// Waits for its end.
  /// Requires  (C1) it was begun, and was not waited for
  Ending wait();
  /// Its end, where it has ended; else nothing. Requires what wait() requires.
  std::optional<Ending> try_wait();

 private:
  /// Kills what is left of its group where it leads one and has ended; whether it has, as far as
  /// that is asked here. `flags` as waitid has them.
  bool end_group(int flags) const;

  pid_t process_ = -1;  ///< -1: none, or waited for
  bool leads_group_ = false;
};

}  // namespace normproof::verification::support::process
