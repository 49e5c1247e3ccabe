#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace normproof::verification::golden::candidate {

/// A candidate program that reads one line per case and answers each with one line.
class CandidateProcess {
 public:
  /// Runs `command` with sh. The shell and its descendants form a process group and carry a mark in
  /// their environment, so that even processes that leave the group can be ended.
  /// Throws    std::system_error
  explicit CandidateProcess(const std::string& command);
  ~CandidateProcess();  ///< Ends the program and every process that it started.
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  /// Writes `line` to the program and waits for one line of output. After an exception the process
  /// accepts no further line.
  /// Throws    FileError, one sentence: the program ended (with its status or signal, and the last
  ///           line of its standard error), `seconds` have passed, or the output is longer than
  ///           `max_bytes`
  std::string query(const std::string& line, double seconds, std::size_t max_bytes);

  /// Whether a signal ended the program, directly or as reported by a shell status above 128.
  bool crashed() const;

  /// Whether the shell's exit status says that it did not find the program or could not run it.
  bool could_not_run() const;

  /// Returns the last 64 KiB of what the program has printed on standard error so far.
  std::string complaints();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace normproof::verification::golden::candidate
