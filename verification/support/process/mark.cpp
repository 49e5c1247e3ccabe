#include "verification/support/process/mark.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

namespace {

constexpr std::string_view kName = "NORMPROOF_CANDIDATE=";
/// The search gives up after this many rounds, in case a process starts others faster than they are
/// killed.
constexpr int kMaxRounds = 100;
/// The search also gives up after this many rounds in which a process showed no environment. Such
/// processes belong to other programs.
constexpr int kMaxDoubtfulRounds = 1000;

enum class Carries { no, perhaps, yes };

/// Returns the process id that names a folder of /proc, or 0 if the folder belongs to no process.
pid_t parse_process_id(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && end == name.data() + name.size() ? process : 0;
}

/// Returns the start time of a process in clock ticks since boot, or 0 if it has ended.
long long read_start_ticks(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  if (!std::getline(file, text)) return 0;
  // fields after the name in parentheses and before the start time
  constexpr int kFieldsBefore = 19;
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string field;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> field;
  long long beginning = 0;
  fields >> beginning;
  return beginning;
}

long long ticks_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const long long ticks = ::sysconf(_SC_CLK_TCK);
  return now.tv_sec * ticks + now.tv_nsec * ticks / 1'000'000'000;
}

/// Whether a process carries the mark. A process shows no environment during execve, so it may
/// carry the mark if it shows none, started after the mark was made and has an executable. Ended
/// processes have no executable, and those of other users do not show one.
Carries carries(const std::filesystem::path& folder, std::string_view text, long long made) {
  std::ifstream file(folder / "environ", std::ios::binary);
  const std::string variables{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = variables.find(text); at != std::string::npos;
       at = variables.find(text, at + 1))
    if ((at == 0 || variables[at - 1] == '\0') && variables[at + text.size()] == '\0')
      return Carries::yes;
  std::error_code error;
  const bool in_doubt = variables.empty() && read_start_ticks(folder) >= made &&
                        !std::filesystem::read_symlink(folder / "exe", error).empty();
  return in_doubt ? Carries::perhaps : Carries::no;
}

/// Kills the processes that carry the mark. Returns whether any process did, or perhaps did. Uses
/// syscall() because <sys/pidfd.h> of glibc 2.36 declares its functions for C alone.
Carries kill_marked(std::string_view text, long long made) {
  Carries found = Carries::no;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t process = parse_process_id(entry->path());
    if (process == 0 || process == ::getpid()) continue;
    // Opened before the environment is read: the id cannot be reused by another process after that.
    const ref::io::Descriptor held(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    if (!held.is_open()) continue;
    Carries own = carries(entry->path(), text, made);
    if (own == Carries::yes &&
        ::syscall(SYS_pidfd_send_signal, held.get(), SIGKILL, nullptr, 0) != 0)
      own = Carries::no;
    found = std::max(found, own);
  }
  return found;
}

}  // namespace

Mark::Mark() : made_(ticks_now()) {
  static std::atomic<int> count = 0;
  text_ = fmt::format("{}{}-{}-{}", kName, ::getpid(), ++count,
                      std::chrono::steady_clock::now().time_since_epoch().count());
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(kName)) pointers_.push_back(*variable);
  pointers_.push_back(text_.data());
  pointers_.push_back(nullptr);
}

void Mark::kill_all() const {
  for (int rounds = 0, doubtful = 0; rounds < kMaxRounds && doubtful < kMaxDoubtfulRounds;) {
    const Carries found = kill_marked(text_, made_);
    if (found == Carries::no) return;
    ++(found == Carries::yes ? rounds : doubtful);
    ::usleep(1000);  // gives the system time to remove killed processes or to finish an execve
  }
}

}  // namespace normproof::verification::support::process
