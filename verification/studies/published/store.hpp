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

/// A task is being done by the holder of this, by no one else.
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

/// The folder of a study, which any number of processes fill at the same time: study.json, what all
/// its results have in common; results.jsonl, a line a result; times.jsonl, how long each took
/// here.
///
/// A line of results.jsonl is {"name": ..., "sha256": ..., "result": ...}; the SHA-256 is that of
/// the name, a line end and the bytes of the result, so that no altered line passes. A last line
/// without its end is what a killed process left: readers pass over it, writers cut it off.
class Store {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// Throws where the text of study.json is none.
  using Check = std::function<void(const std::string&)>;

  /// Opens no file. `warn` is told, once, of a line that is cut off.
  explicit Store(std::filesystem::path folder, Warn warn = {});

  /// Makes the folder with study.json, or finds that it is that of the same study.
  /// Throws    UsageError where it is another study's, or holds something else; FileError, as where
  ///           there are results without study.json; what `check` throws of the study.json there is
  void begin(const std::string& identity, const Check& check = {}) const;

  /// What study.json holds.
  /// Throws    FileError where there is no folder, or it holds no study, or results alone
  std::string identity() const;

  /// Results by name.
  /// Throws    FileError naming the file and the line: altered, or a name twice
  std::map<std::string, std::string> results() const;

  /// Every result has this data_sha256, or that which belongs to its name.
  /// Throws    FileError naming the file, the line and the expectation
  void check_data(const std::string& data_sha256) const;
  using DataOf = std::function<std::string(const std::string& name)>;
  void check_data(const DataOf& data_sha256_of) const;

  /// Seconds by name; a line that cannot be read is passed over: no result depends on it.
  std::map<std::string, double> times() const;

  /// Of the results there are.
  std::set<std::string> names() const;

  /// Nothing where the task is done, or another process is at it.
  /// Requires  (C1) the name has letters, digits and _ + - . / alone
  std::optional<Claim> claim(const std::string& name) const;

  /// Adds the result of a claimed task, wholly or not at all.
  /// Requires  (C2) the result is a JSON object in one line
  /// Throws    FileError
  void add(const Claim& claim, const std::string& result, double seconds) const;

  /// Puts the lines of results.jsonl in ascending order of their names: the same bytes, whoever
  /// computed them in whatever order.
  void sort() const;

 private:
  std::filesystem::path file(const char* name) const { return folder_ / name; }
  support::process::FileLock lock() const;
  bool has_identity() const;
  void say_cut_off(const std::filesystem::path& file) const;
  void append(const std::filesystem::path& file, const std::string& line) const;

  std::filesystem::path folder_;
  Warn warn_;
  mutable bool said_cut_off_ = false;
};

}  // namespace normproof::verification::studies::published
