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
  if (options.ends_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent had already ended before prctl took effect
  }
  ::_exit(f());
}

ProcessEnding decode_ending(int status) {
  return WIFSIGNALED(status) ? ProcessEnding{true, WTERMSIG(status)}
                             : ProcessEnding{false, WEXITSTATUS(status)};
}

/// Throws a ContractError naming `function` if `process` is not a valid process id. waitpid would
/// wait for any child process if it were given such a number.
void check_process_started(const char* function, pid_t process) {
  if (process <= 0)
    ref::numeric::contract_failure(function, "the process", "was not begun, or was waited for",
                                   "one that no one has waited for", ref::numeric::Clause::C1);
}

}  // namespace

std::string ProcessEnding::to_text() const {
  return by_signal ? fmt::format("signal {} ({})", code, ::strsignal(code))
                   : fmt::format("status {}", code);
}

Child Child::begin(const std::string& what, const std::function<int()>& f, ChildOptions options) {
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) be_child(parent, f, options);
  if (process < 0) throw std::system_error(errno, std::generic_category(), what);
  return Child(process);
}

Child::Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(process_, other.process_);
  return *this;
}

Child::~Child() {
  if (process_ <= 0) return;
  kill();
  wait();
}

void Child::kill() const {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

ProcessEnding Child::wait() {
  check_process_started("Child::wait", process_);
  int status = 0;
  ref::io::retry_interrupted([&] { return ::waitpid(process_, &status, 0); });
  process_ = -1;
  return decode_ending(status);
}

std::optional<ProcessEnding> Child::try_wait() {
  check_process_started("Child::try_wait", process_);
  int status = 0;
  const pid_t ended =
      ref::io::retry_interrupted([&] { return ::waitpid(process_, &status, WNOHANG); });
  if (ended != process_) return std::nullopt;
  process_ = -1;
  return decode_ending(status);
}

}  // namespace normproof::verification::support::process
