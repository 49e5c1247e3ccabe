#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "verification/support/process/file_lock.hpp"

namespace normproof::verification::studies::published {

/// The exclusive right of a process to run a task.
class TaskClaim {
 public:
  const std::string& name() const { return name_; }

 private:
  friend class Store;
  TaskClaim(std::string name, support::process::FileLock lock)
      : name_(std::move(name)), lock_(std::move(lock)) {}
  std::string name_;
  support::process::FileLock lock_;
};

/// The folder of a study. Any number of processes may add results to it at the same time.
/// study.json describes what all results have in common. results.jsonl has one line per result.
/// times.jsonl has the time in seconds that each result took on this machine.
///
/// A line of results.jsonl is {"name": ..., "sha256": ..., "result": ...}. The SHA-256 covers the
/// name, a line end and the bytes of the result, so that altered lines are detected. A last line
/// without line end was left by a killed process: readers ignore it, and writers remove it.
class Store {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// A function that throws an exception if its argument is not a valid text of study.json.
  using Check = std::function<void(const std::string&)>;

  /// Stores the path; files are opened by later calls. `warn` is called once if a partial line is
  /// removed.
  explicit Store(std::filesystem::path folder, Warn warn = {});

  /// Creates the folder with study.json, or checks that an existing folder belongs to the same
  /// study. `identity` is the text of study.json.
  /// Throws    UsageError if the folder belongs to another study or holds something else;
  ///           FileError, for example if there are results without study.json; any exception of
  ///           `check`, which is called with the text of an existing study.json
  void begin(const std::string& identity, const Check& check = {}) const;

  /// Returns the text of study.json.
  /// Throws    FileError if the folder is absent, if it holds no study, or if it holds results
  ///           without study.json
  std::string identity() const;

  /// Returns the results; the key is the name of the task.
  /// Throws    FileError naming the file and the line if a line was altered or a name occurs twice
  std::map<std::string, std::string> results() const;

  /// Checks the field data_sha256 of every result. In the first overload, the field must equal the
  /// argument `data_sha256`. In the second overload, it must equal the hash that the function
  /// returns for the name of the result.
  void check_data(const std::string& data_sha256) const;
  using DataOf = std::function<std::string(const std::string& name)>;
  void check_data(const DataOf& data_sha256_of) const;

  /// Returns the seconds that each result took; the key is the name of the task. Unreadable lines
  /// are skipped, since no result depends on them.
  std::map<std::string, double> times() const;

  /// Returns the names of the tasks that have a result.
  std::set<std::string> names() const;

  /// Claims a task for this process. Returns nothing if the task is done, or if another process is
  /// running it.
  /// Requires  (C1) the name consists of letters, digits and _ + - . /
  std::optional<TaskClaim> claim(const std::string& name) const;

  /// Stores the result of a claimed task. If this fails, no part of the result is stored.
  /// Requires  (C2) the result is a JSON object in one line
  /// Throws    FileError
  void add(const TaskClaim& claim, const std::string& result, double seconds) const;

  /// Sorts the lines of results.jsonl by name. Its bytes then do not depend on which process
  /// computed a result, or when.
  void sort() const;

 private:
  std::filesystem::path file(const char* name) const { return folder_ / name; }
  support::process::FileLock lock() const;
  bool has_identity() const;
  void warn_of_partial_line(const std::filesystem::path& file) const;
  void append(const std::filesystem::path& file, const std::string& line) const;

  std::filesystem::path folder_;
  Warn warn_;
  mutable bool warned_of_partial_line_ = false;
};

}  // namespace normproof::verification::studies::published
