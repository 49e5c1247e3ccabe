#include "ref/io/left_behind.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "ref/io/descriptor.hpp"

namespace normproof::ref::io {

namespace fs = std::filesystem;

namespace {

bool try_lock(int descriptor) {
  return retry_interrupted([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) == 0;
}

/// Returns the id of the process that created an entry with the name <prefix><process
/// id>...<suffix>. If the name does not have this form, the result is empty.
std::optional<pid_t> parse_creator_process(std::string_view name, std::string_view prefix,
                                           std::string_view suffix) {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix))
    return std::nullopt;
  const std::string_view middle =
      name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  pid_t number = 0;
  const auto [end, error] = std::from_chars(middle.data(), middle.data() + middle.size(), number);
  const bool ends = end == middle.data() + middle.size() || *end == '-' || *end == '.';
  if (error != std::errc{} || number <= 0 || !ends) return std::nullopt;
  return number;
}

bool is_running(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

/// Whether this process has already scanned the folder for names with this prefix and suffix.
bool was_already_scanned(const fs::path& folder, std::string_view prefix, std::string_view suffix) {
  static std::mutex mutex;
  static std::set<std::string> known;
  struct stat status = {};
  if (::stat(folder.c_str(), &status) < 0) return true;
  const std::lock_guard guard(mutex);
  return !known
              .insert(fmt::format("{}:{}:{}:{}:{}", status.st_dev, status.st_ino, folder.string(),
                                  prefix, suffix))
              .second;
}

void remove_unless_locked(const fs::path& place) {
  const Descriptor entry(
      ::open(place.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat status = {};
  if (!entry.is_open() || ::fstat(entry.get(), &status) < 0) return;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  std::error_code ignored;
  if (try_lock(entry.get())) fs::remove_all(place, ignored);
}

}  // namespace

bool try_lock_as_in_use(int descriptor) {
  struct stat status = {};
  const bool is_ours = try_lock(descriptor) || errno != EWOULDBLOCK;
  // Another process may have removed the file after it was created and before it was locked.
  return is_ours && ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

void remove_leftover_entries(const fs::path& folder, std::string_view prefix,
                             std::string_view suffix) {
  if (was_already_scanned(folder, prefix, suffix)) return;
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto maker = parse_creator_process(entry->path().filename().string(), prefix, suffix);
    if (maker && !is_running(*maker)) left.push_back(entry->path());
  }
  for (const fs::path& place : left) remove_unless_locked(place);
}

}  // namespace normproof::ref::io
