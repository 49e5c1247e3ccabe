#include "verification/studies/published/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/io/descriptor.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::studies::published {

namespace fs = std::filesystem;
using ref::io::Descriptor;
using ref::io::file_failure;
using ref::numeric::Clause;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using support::process::FileLock;
using support::process::Line;
using support::process::remove_unfinished_line;
using support::process::split_lines;

namespace {

constexpr const char* kIdentity = "study.json";
constexpr const char* kResults = "results.jsonl";
constexpr const char* kTimes = "times.jsonl";
constexpr const char* kLocks = "locks";
constexpr const char* kLock = ".study.lock";
constexpr std::string_view kNameKey = "{\"name\":\"";
constexpr std::string_view kResultKey = ",\"result\":";

[[noreturn]] void cannot_write(const fs::path& file, int error) {
  throw FileError(
      fmt::format("cannot write '{}': {}", file.string(), std::generic_category().message(error)));
}

bool is_valid_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_+-./").find(c) != std::string_view::npos;
}

std::string line_beginning(std::string_view name) {
  return fmt::format("{}{}\",", kNameKey, name);
}

std::string format_result_line(const std::string& name, const std::string& result) {
  return fmt::format("{}\"sha256\":\"{}\"{}{}}}\n", line_beginning(name),
                     ref::io::sha256(fmt::format("{}\n{}", name, result)), kResultKey, result);
}

/// Returns the text of a file, or an empty text if the file is absent.
std::string text_of(const fs::path& file) {
  std::error_code error;
  const bool has_text = fs::exists(file, error) && fs::file_size(file, error) > 0;
  return has_text ? ref::io::read_text(file) : std::string();
}

/// Returns the name and the result in a line of results.jsonl, or nothing if the line was altered.
std::optional<std::pair<std::string, std::string>> parse_stored_line(std::string_view line) {
  const std::size_t key = line.find(kResultKey);
  if (key == std::string_view::npos || !line.ends_with('}')) return std::nullopt;
  const auto head = nlohmann::json::parse(fmt::format("{}}}", line.substr(0, key)), nullptr, false);
  if (!head.is_object() || !head.contains("name") || !head["name"].is_string()) return std::nullopt;
  std::string result(line.substr(key + kResultKey.size()));
  result.pop_back();
  auto name = head["name"].get<std::string>();
  // The line is unaltered if writing its content again gives the same bytes.
  std::string written = format_result_line(name, result);
  written.pop_back();
  if (written != line) return std::nullopt;
  return std::pair(std::move(name), std::move(result));
}

/// Calls `f(name, result, line number)` for every line.
/// Throws    FileError if a line was altered
template <class F>
void for_each_result(const fs::path& path, std::string_view lines, const F& f) {
  for (const Line& line : split_lines(lines)) {
    auto parsed = parse_stored_line(line.text);
    if (!parsed)
      file_failure(path.string(), fmt::format("line {}", line.number), "is altered",
                   "a result with the SHA-256 that stands before it");
    f(std::move(parsed->first), std::move(parsed->second), line.number);
  }
}

/// Returns the file name of the lock for the task `name`.
std::string lock_file_name(std::string name) {
  std::ranges::replace(name, '/', '~');
  return name + ".lock";
}

}  // namespace

Store::Store(fs::path folder, Warn warn) : folder_(std::move(folder)), warn_(std::move(warn)) {}

FileLock Store::lock() const {
  return *FileLock::acquire(file(kLock), FileLock::LockWait::wait);
}

bool Store::has_identity() const {
  std::error_code error;
  if (fs::exists(file(kIdentity), error)) return true;
  if (!text_of(file(kResults)).empty())
    file_failure(file(kResults).string(), "the whole", "has no study.json beside it",
                 "the study.json with whose data its results were computed");
  return false;
}

void Store::begin(const std::string& identity, const Check& check) const {
  std::error_code made, error;
  fs::create_directories(folder_, made);
  if (!fs::is_directory(folder_, error)) cannot_write(folder_, made ? made.value() : ENOTDIR);
  // Another process may be starting a study in this folder. It creates the lock file first.
  // Therefore the folder must be checked for emptiness before the lock file is looked for: if the
  // folder is not empty, a process that starts a study has already created the lock file.
  const bool is_new = fs::is_empty(folder_, error);
  if (!is_new && !fs::exists(file(kLock), error) && !has_identity())
    throw UsageError(fmt::format(
        "--out {} holds something that is no study; expected a new folder, or that of a study",
        folder_.string()));
  const FileLock held = lock();
  if (!has_identity()) return ref::io::write_file(file(kIdentity), identity);
  const std::string there = ref::io::read_text(file(kIdentity));
  if (check) check(there);
  if (there != identity)
    throw UsageError(
        fmt::format("--out {} is the folder of a study of other data; expected a new folder, or "
                    "the data that its study.json names",
                    folder_.string()));
}

std::string Store::identity() const {
  if (!has_identity())
    throw FileError(fmt::format(
        "{}: {}; expected the folder of a study, as 'normproof study run' makes it",
        folder_.string(), fs::is_directory(folder_) ? "holds no study" : "is no folder"));
  return ref::io::read_text(file(kIdentity));
}

void Store::warn_of_partial_line(const fs::path& path) const {
  if (warn_ && !warned_of_partial_line_)
    warn_(fmt::format("{}: the last line is cut off; its result counts as missing", path.string()));
  warned_of_partial_line_ = true;
}

std::map<std::string, std::string> Store::results() const {
  const fs::path path = file(kResults);
  const std::string text = text_of(path);
  const std::string_view whole = remove_unfinished_line(text);
  if (whole.size() != text.size()) warn_of_partial_line(path);
  std::map<std::string, std::string> results;
  for_each_result(path, whole, [&](std::string name, std::string result, std::size_t number) {
    if (!results.emplace(std::move(name), std::move(result)).second)
      file_failure(path.string(), fmt::format("line {}", number),
                   "has the name of a line before it", "each result once");
  });
  return results;
}

void Store::check_data(const std::string& data_sha256) const {
  check_data([&](const std::string&) { return data_sha256; });
}

void Store::check_data(const DataOf& data_sha256_of) const {
  const fs::path path = file(kResults);
  const std::string text = text_of(path);
  const auto check = [&](const std::string& name, const std::string& result, std::size_t number) {
    const ref::io::JsonReader reader(fmt::format("{}: line {}", path.string(), number));
    const std::string data_sha256 = data_sha256_of(name);
    const std::string there =
        reader.sha256(reader.parse(result, "a result"), "data_sha256", "data_sha256");
    if (there != data_sha256)
      reader.fail("data_sha256", fmt::format("is {}", there),
                  fmt::format("{}, that of the data in study.json", data_sha256));
  };
  for_each_result(path, remove_unfinished_line(text), check);
}

std::map<std::string, double> Store::times() const {
  std::map<std::string, double> times;
  const std::string text = text_of(file(kTimes));
  for (const Line& line : split_lines(text)) {
    const auto parsed = nlohmann::json::parse(line.text, nullptr, false);
    const bool is_time = parsed.is_object() && parsed.contains("name") &&
                         parsed["name"].is_string() && parsed.contains("seconds") &&
                         parsed["seconds"].is_number();
    if (is_time) times[parsed["name"].get<std::string>()] = parsed["seconds"].get<double>();
  }
  return times;
}

std::set<std::string> Store::names() const {
  const std::string text = text_of(file(kResults));
  std::set<std::string> names;
  for (const Line& line : split_lines(remove_unfinished_line(text))) {
    if (!line.text.starts_with(kNameKey)) continue;
    const std::string_view rest = line.text.substr(kNameKey.size());
    names.emplace(rest.substr(0, rest.find('"')));
  }
  return names;
}

std::optional<TaskClaim> Store::claim(const std::string& name) const {
  if (!std::ranges::all_of(name, is_valid_name_character))
    ref::numeric::contract_failure("Store::claim", "name", fmt::format("is '{}'", name),
                                   "letters, digits and _ + - . / alone", Clause::C1);
  std::error_code ignored;
  std::optional<FileLock> taken;
  {
    // A process that ends also removes the folder of the locks if it is empty. It does this while
    // it holds this lock.
    const FileLock held = lock();
    fs::create_directories(file(kLocks), ignored);
    taken = FileLock::acquire(file(kLocks) / lock_file_name(name), FileLock::LockWait::at_once);
  }
  if (!taken) return std::nullopt;
  // The previous holder of the task's lock may have finished the task. It stores the result before
  // it releases the lock.
  if (names().contains(name)) {
    fs::remove(file(kLocks) / lock_file_name(name), ignored);
    return std::nullopt;
  }
  return TaskClaim(name, std::move(*taken));
}

void Store::append(const fs::path& path, const std::string& line) const {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) cannot_write(path, errno);
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  char last = '\n';
  const bool ends = size <= 0 || (::pread(file.get(), &last, 1, size - 1) == 1 && last == '\n');
  const off_t kept = ends ? size : static_cast<off_t>(remove_unfinished_line(text_of(path)).size());
  if (!ends) warn_of_partial_line(path);
  const bool is_placed = size >= 0 && (ends || ::ftruncate(file.get(), kept) == 0) &&
                         ::lseek(file.get(), kept, SEEK_SET) >= 0;
  int error = is_placed ? ref::io::write_all(file.get(), line) : errno;
  if (::fsync(file.get()) != 0 && error == 0) error = errno;
  if (error == 0) return;
  if (::ftruncate(file.get(), kept) != 0) {
    // The partial line has no line end, so the next process that writes removes it.
  }
  cannot_write(path, error);
}

void Store::add(const TaskClaim& claim, const std::string& result, double seconds) const {
  if (!result.starts_with('{') || !result.ends_with('}') || result.find('\n') != std::string::npos)
    ref::numeric::contract_failure("Store::add", "result", fmt::format("is '{}'", result),
                                   "a JSON object in one line", Clause::C2);
  {
    const FileLock held = lock();
    append(file(kResults), format_result_line(claim.name(), result));
    append(file(kTimes),
           fmt::format("{}\"seconds\":{:.3f}}}\n", line_beginning(claim.name()), seconds));
  }
  std::error_code ignored;
  fs::remove(file(kLocks) / lock_file_name(claim.name()), ignored);
}

void Store::sort() const {
  const FileLock held = lock();
  std::string sorted;
  for (const auto& [name, result] : results()) sorted += format_result_line(name, result);
  if (!sorted.empty() && sorted != text_of(file(kResults)))
    ref::io::write_file(file(kResults), sorted);
  std::error_code ignored;
  fs::remove(file(kLocks), ignored);  // The call fails if a process is running a task.
}

}  // namespace normproof::verification::studies::published
