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
/// One that begins others faster than they are killed is left after that many rounds.
constexpr int kMostRounds = 100;
/// So are processes that never show an environment, which are somebody else's.
constexpr int kMostDoubtfulRounds = 1000;

enum class Carries { no, perhaps, yes };

/// The number that a folder of /proc is named after; 0 for the others.
pid_t process_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && end == name.data() + name.size() ? process : 0;
}

/// When a process began, in ticks since the machine did; 0 of one that has ended.
long long beginning_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  if (!std::getline(file, text)) return 0;
  constexpr int kFieldsBefore = 19;  // behind the name in parentheses
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

/// Amid execve a process shows no environment, as one of the few that have none: one that began
/// behind the mark and has a program may carry it. One that has ended has no program, and one of
/// somebody else's shows none.
Carries carries(const std::filesystem::path& folder, std::string_view text, long long made) {
  std::ifstream file(folder / "environ", std::ios::binary);
  const std::string variables{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = variables.find(text); at != std::string::npos;
       at = variables.find(text, at + 1))
    if ((at == 0 || variables[at - 1] == '\0') && variables[at + text.size()] == '\0')
      return Carries::yes;
  std::error_code error;
  const bool in_doubt = variables.empty() && beginning_of(folder) >= made &&
                        !std::filesystem::read_symlink(folder / "exe", error).empty();
  return in_doubt ? Carries::perhaps : Carries::no;
}

/// Kills those that carry the text; whether there was one, or perhaps one. <sys/pidfd.h> of glibc
/// 2.36 declares its functions for C alone.
Carries end_some(std::string_view text, long long made) {
  Carries found = Carries::no;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t process = process_of(entry->path());
    if (process == 0 || process == ::getpid()) continue;
    // Held before its environment is read, so that no other process has its number by then.
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

void Mark::end_all() const {
  for (int rounds = 0, doubtful = 0; rounds < kMostRounds && doubtful < kMostDoubtfulRounds;) {
    const Carries found = end_some(text_, made_);
    if (found == Carries::no) return;
    ++(found == Carries::yes ? rounds : doubtful);
    ::usleep(1000);  // until the system has taken them away, or shows what they are
  }
}

}  // namespace normproof::verification::support::process
