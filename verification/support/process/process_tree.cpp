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

/// Maximum number of attempts to kill all processes of the tree; one attempt takes about a
/// millisecond. The limit matters if processes start others faster than they are killed.
constexpr int kMaxKillRounds = 2000;

/// Closes all descriptors except standard input, output and error, because the supervisor must not
/// hold pipes open.
void close_inherited_descriptors() {
  // SYS_close_range, which headers before Linux 5.9 do not define
  constexpr long kCloseRangeSystemCall = 436;
  if (::syscall(kCloseRangeSystemCall, 3U, ~0U, 0U) == 0) return;
  const long limit = std::min(::sysconf(_SC_OPEN_MAX), 65'536L);
  for (int descriptor = 3; descriptor < limit; ++descriptor) ::close(descriptor);
}

/// Sends SIGKILL to every child of this process. The system cannot give the id of a child to
/// another process before this process has waited for the child. So no other process is killed.
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

/// Kills all descendants of this process. When a descendant is killed, its children become children
/// of this process. Therefore the function kills children until there are none.
void kill_descendants() {
  for (int round = 0; round < kMaxKillRounds; ++round) {
    kill_children();
    pid_t ended = 0;
    do ended = ::waitpid(-1, nullptr, WNOHANG);
    while (ended > 0);
    if (ended < 0) return;
    ::usleep(1000);
  }
}

/// Ends this process in the way that `status` describes: by the same signal, or with the same exit
/// status. `status` is a status that waitpid returned.
[[noreturn]] void exit_like_process(int status) {
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

/// The supervisor process: it starts `f` in a child and ends in the same way as the child. SIGTERM
/// ends the supervisor early; ProcessTree sends it, and so does the system when the thread that
/// started the supervisor ends. This function may only do what a signal handler may do.
int supervise(pid_t parent, const std::function<int()>& f) {
  sigset_t expected, before;
  ::sigemptyset(&expected);
  for (const int number : {SIGTERM, SIGCHLD}) {
    ::signal(number, SIG_DFL);  // an ignored signal would not be received
    ::sigaddset(&expected, number);
  }
  ::sigprocmask(SIG_BLOCK, &expected, &before);
  // the terminal sends an interrupt to the main program only, which then ends the tree
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // the parent had already ended before prctl took effect
  const pid_t child = ::fork();
  if (child < 0) ::_exit(1);
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::_exit(f());
  }
  close_inherited_descriptors();
  int status = SIGTERM;
  for (pid_t ended = 0; ended != child;) {
    int number = 0;
    ::sigwait(&expected, &number);
    if (number == SIGTERM) {
      // the id still belongs to the child's group, because nobody has waited for the child
      ::kill(-child, SIGKILL);
      break;
    }
    int ending = 0;
    while (ended != child && (ended = ::waitpid(-1, &ending, WNOHANG)) > 0)
      if (ended == child) status = ending;
  }
  kill_descendants();
  exit_like_process(status);
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
