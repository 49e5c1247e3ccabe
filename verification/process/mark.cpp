#include "verification/process/mark.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::process {

namespace {

constexpr std::string_view kName = "NORMPROOF_CANDIDATE=";
/// One that begins others faster than they are killed is left after that many rounds.
constexpr int kMostRounds = 100;

/// The number that a folder of /proc is named after; 0 for the others.
pid_t process_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && end == name.data() + name.size() ? process : 0;
}

/// A process that has ended has no environment, and neither has one of somebody else's.
bool carries(const std::filesystem::path& folder, std::string_view text) {
  std::ifstream file(folder / "environ", std::ios::binary);
  const std::string variables{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = variables.find(text); at != std::string::npos;
       at = variables.find(text, at + 1))
    if ((at == 0 || variables[at - 1] == '\0') && variables[at + text.size()] == '\0') return true;
  return false;
}

/// Kills those that carry the text; whether there was one. <sys/pidfd.h> of glibc 2.36 declares
/// its functions for C alone.
bool end_some(std::string_view text) {
  bool found = false;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t process = process_of(entry->path());
    if (process == 0 || process == ::getpid()) continue;
    // Held before its environment is read, so that no other process has its number by then.
    const ref::io::Descriptor held(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    if (!held.is_open() || !carries(entry->path(), text)) continue;
    found = ::syscall(SYS_pidfd_send_signal, held.get(), SIGKILL, nullptr, 0) == 0 || found;
  }
  return found;
}

}  // namespace

Mark::Mark() {
  static std::atomic<int> count = 0;
  text_ = fmt::format("{}{}-{}-{}", kName, ::getpid(), ++count,
                      std::chrono::steady_clock::now().time_since_epoch().count());
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(kName)) pointers_.push_back(*variable);
  pointers_.push_back(text_.data());
  pointers_.push_back(nullptr);
}

void Mark::end_all() const {
  for (int round = 0; round < kMostRounds && end_some(text_); ++round)
    ::usleep(1000);  // until the system has taken them away
}

}  // namespace normproof::verification::process
