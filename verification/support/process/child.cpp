#include "verification/support/process/child.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::support::process {

namespace {

[[noreturn]] void be_child(pid_t parent, const std::function<int()>& f,
                           const ChildOptions& options) noexcept {
  if (options.leads_group) ::setpgid(0, 0);
  if (options.ends_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent ended before prctl took effect
  }
  ::_exit(f());
}

Ending decode_ending(int status) {
  return WIFSIGNALED(status) ? Ending{true, WTERMSIG(status)} : Ending{false, WEXITSTATUS(status)};
}

/// Rejects a process that is not positive: waitpid would wait for any child instead.
void check_begun(const char* function, pid_t process) {
  if (process <= 0)
    ref::numeric::contract_failure(function, "the process", "was not begun, or was waited for",
                                   "one that no one has waited for", ref::numeric::Clause::C1);
}

}  // namespace

std::string Ending::to_text() const {
  return by_signal ? fmt::format("signal {} ({})", code, ::strsignal(code))
                   : fmt::format("status {}", code);
}

Child Child::begin(const std::string& what, const std::function<int()>& f, ChildOptions options) {
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) be_child(parent, f, options);
  if (process < 0) throw std::system_error(errno, std::generic_category(), what);
  Child child(process);
  child.leads_group_ = options.leads_group;
  // parent and child both call it, since either may run first
  if (options.leads_group) ::setpgid(process, process);
  return child;
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)), leads_group_(other.leads_group_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(leads_group_, other.leads_group_);
  return *this;
}

Child::~Child() {
  if (process_ <= 0) return;
  kill();
  wait();
}

void Child::kill() const {
  if (process_ > 0) ::kill(leads_group_ ? -process_ : process_, SIGKILL);
}

bool Child::kill_rest_of_group(int flags) const {
  if (!leads_group_) return true;
  siginfo_t info = {};
  ref::io::retry_interrupted([&] {
    return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT | flags);
  });
  if (info.si_pid != process_) return false;
  // Until someone waits for the process, the system reuses neither its id nor that of its group.
  ::kill(-process_, SIGKILL);
  return true;
}

Ending Child::wait() {
  check_begun("Child::wait", process_);
  kill_rest_of_group(0);
  int status = 0;
  ref::io::retry_interrupted([&] { return ::waitpid(process_, &status, 0); });
  process_ = -1;
  return decode_ending(status);
}

std::optional<Ending> Child::try_wait() {
  check_begun("Child::try_wait", process_);
  if (!kill_rest_of_group(WNOHANG)) return std::nullopt;
  int status = 0;
  const pid_t ended =
      ref::io::retry_interrupted([&] { return ::waitpid(process_, &status, WNOHANG); });
  if (ended != process_) return std::nullopt;
  process_ = -1;
  return decode_ending(status);
}

}  // namespace normproof::verification::support::process
