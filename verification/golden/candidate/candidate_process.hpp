#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace normproof::verification::golden::candidate {

/// A running candidate program. It reads one line per case and prints one line of output for each.
class CandidateProcess {
 public:
  /// Starts `command` with sh.
  /// Throws    std::system_error
  explicit CandidateProcess(const std::string& command);
  /// Ends the program and every process that it started.
  ~CandidateProcess();
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  /// Writes `line` to the program and waits for one line of output. After an exception, `query`
  /// must not be called again.
  /// Throws    FileError with one sentence, if the program ended (the sentence gives its status or
  ///           signal, and the last line of its standard error), if `seconds` have passed, or if
  ///           the output is longer than `max_bytes`
  std::string query(const std::string& line, double seconds, std::size_t max_bytes);

  /// Whether a signal ended the program. This includes the exit statuses 129 to 192, with which a
  /// shell reports that a signal ended its command.
  bool crashed() const;

  /// Whether the exit status of the shell says that it did not find the program or could not run
  /// it.
  bool could_not_run() const;

  /// Returns the end of the text that the program has printed on standard error, at most 64 KiB.
  std::string standard_error();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace normproof::verification::golden::candidate
