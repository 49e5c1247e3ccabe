#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace normproof::verification::support::process {

inline int sleep_for_ever() {
  for (;;) ::pause();
}

/// Waits up to 10 seconds for the process to end, and returns whether it has ended. A zombie, which
/// no process has waited for, counts as ended.
inline bool has_ended(pid_t process) {
  for (int tries = 0; tries < 1000; ++tries) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    if (!std::getline(status, text)) return true;
    if (text[text.rfind(')') + 2] == 'Z') return true;
    ::usleep(10'000);
  }
  return false;
}

}  // namespace normproof::verification::support::process
