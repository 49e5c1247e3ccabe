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

/// The exclusive right to run a task.
class Claim {
 public:
  const std::string& name() const { return name_; }

 private:
  friend class Store;
  Claim(std::string name, support::process::FileLock lock)
      : name_(std::move(name)), lock_(std::move(lock)) {}
  std::string name_;
  support::process::FileLock lock_;
};

/// The folder of a study, which any number of processes fill at the same time. study.json describes
/// what all its results have in common; results.jsonl has one line per result; times.jsonl has the
/// seconds that each took here.
///
/// A line of results.jsonl is {"name": ..., "sha256": ..., "result": ...}. The SHA-256 is that of
/// the name, a line end and the bytes of the result, so that altered lines are detected. A last
/// line without its end was left by a killed process: readers ignore it, writers remove it.
class Store {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// Throws if the text is not a valid study.json.
  using Check = std::function<void(const std::string&)>;

  /// Opens no file. `warn` is called once if a partial line is removed.
  explicit Store(std::filesystem::path folder, Warn warn = {});

  /// Creates the folder with study.json, or checks that it belongs to the same study.
  /// Throws    UsageError if it belongs to another study or holds something else; FileError, for
  ///           example if there are results without study.json; what `check` throws for the
  ///           existing study.json
  void begin(const std::string& identity, const Check& check = {}) const;

  /// Returns the text of study.json.
  /// Throws    FileError if the folder is absent, or holds no study, or results without study.json
  std::string identity() const;

  /// Returns the results by name.
  /// Throws    FileError naming the file and the line if a line was altered or a name occurs twice
  std::map<std::string, std::string> results() const;

  /// Checks that every result has this data_sha256, or the one that belongs to its name.
  /// Throws    FileError naming the file, the line and the expectation
  void check_data(const std::string& data_sha256) const;
  using DataOf = std::function<std::string(const std::string& name)>;
  void check_data(const DataOf& data_sha256_of) const;

  /// Returns seconds by name. Unreadable lines are skipped, since no result depends on them.
  std::map<std::string, double> times() const;

  /// Returns the names of the results.
  std::set<std::string> names() const;

  /// Claims a task. Returns nothing if the task is done or another process works on it.
  /// Requires  (C1) the name consists of letters, digits and _ + - . /
  std::optional<Claim> claim(const std::string& name) const;

  /// Adds the result of a claimed task, completely or not at all.
  /// Requires  (C2) the result is a JSON object in one line
  /// Throws    FileError
  void add(const Claim& claim, const std::string& result, double seconds) const;

  /// Sorts the lines of results.jsonl by name, so that the bytes do not depend on who computed the
  /// results and in what order.
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
