#include "verification/support/process/process_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace normproof::verification::support::process {

namespace {

/// The supervisor gives up after this many rounds of about a millisecond, in case a process starts
/// others faster than they are killed.
constexpr int kMaxRounds = 2000;

/// Closes all descriptors but the standard ones. The supervisor must not keep a pipe open.
void close_descriptors() {
  constexpr long kCloseRange = 436;  // SYS_close_range; headers before Linux 5.9 do not define it
  if (::syscall(kCloseRange, 3U, ~0U, 0U) == 0) return;
  const long limit = std::min(::sysconf(_SC_OPEN_MAX), 65'536L);
  for (int descriptor = 3; descriptor < limit; ++descriptor) ::close(descriptor);
}

/// Sends SIGKILL to the children of this process. None of the ids can belong to another process,
/// because this process has not waited for the children yet.
void kill_children() {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[4096];
  pid_t id = 0;
  for (ssize_t size; (size = ::read(file, text, sizeof text)) > 0;)
    for (const char* c = text; c < text + size; ++c) {
      if (*c >= '0' && *c <= '9') {
        id = 10 * id + (*c - '0');
      } else if (id > 0) {
        ::kill(id, SIGKILL);
        id = 0;
      }
    }
  ::close(file);
}

/// Kills all descendants of this process. The children of a killed process become children of this
/// one, so it kills its children until it has none.
void kill_descendants() {
  for (int round = 0; round < kMaxRounds; ++round) {
    kill_children();
    pid_t ended = 0;
    do ended = ::waitpid(-1, nullptr, WNOHANG);
    while (ended > 0);
    if (ended < 0) return;
    ::usleep(1000);
  }
}

/// Ends this process as the status of waitpid says.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const int number = WTERMSIG(status);
    ::signal(number, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, number);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(number);
  }
  ::_exit(WEXITSTATUS(status));
}

/// The program of the supervisor. It ends as its child ended, or by SIGTERM, which it receives from
/// ProcessTree or when the thread that began it ends. Does only what a signal handler may do.
int supervise(pid_t parent, const std::function<int()>& f) {
  sigset_t expected, before;
  ::sigemptyset(&expected);
  for (const int number : {SIGTERM, SIGCHLD}) {
    ::signal(number, SIG_DFL);  // an ignored signal would not be received
    ::sigaddset(&expected, number);
  }
  ::sigprocmask(SIG_BLOCK, &expected, &before);
  ::setpgid(0, 0);  // an interrupt at the terminal is for this program, which ends the tree
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before prctl took effect
  const pid_t child = ::fork();
  if (child < 0) ::_exit(1);
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::_exit(f());
  }
  close_descriptors();
  int status = SIGTERM;
  for (pid_t ended = 0; ended != child;) {
    int number = 0;
    ::sigwait(&expected, &number);
    if (number == SIGTERM) {
      ::kill(-child, SIGKILL);  // the child was not waited for, so the group's id is still its own
      break;
    }
    int ending = 0;
    while (ended != child && (ended = ::waitpid(-1, &ending, WNOHANG)) > 0)
      if (ended == child) status = ending;
  }
  kill_descendants();
  end_as(status);
}

}  // namespace

ProcessTree::ProcessTree(const std::string& what, const std::function<int()>& f)
    : supervisor_(Child::begin(what, [&f, parent = ::getpid()] { return supervise(parent, f); })) {}

ProcessTree& ProcessTree::operator=(ProcessTree&& other) noexcept {
  end();
  supervisor_ = std::move(other.supervisor_);
  return *this;
}

ProcessTree::~ProcessTree() {
  end();
}

void ProcessTree::end() {
  if (supervisor_.id() <= 0) return;
  ::kill(supervisor_.id(), SIGTERM);
  supervisor_.wait();
}

}  // namespace normproof::verification::support::process
