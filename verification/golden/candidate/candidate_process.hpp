#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace normproof::verification::golden::candidate {

/// A program of somebody else that reads a line a case and answers with one.
class CandidateProcess {
 public:
  /// Runs `command` by sh. It and what it begins are a group of processes and carry a mark in their
  /// environment: what of them has left the group ends with it too.
  /// Throws    std::system_error
  explicit CandidateProcess(const std::string& command);
  ~CandidateProcess();  ///< ends the program, and every process that it began
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  /// Writes the line and waits for one.
  /// Throws    FileError, one sentence: the program ended (its status or signal, and the last line
  ///           of its standard error), `seconds` have passed, or the answer is longer than
  ///           `most_bytes`. Then it takes no other question
  std::string ask(const std::string& line, double seconds, std::size_t most_bytes);

  /// A signal has ended it: as its own end, or by the status above 128 with which a shell tells.
  bool crashed() const;

  /// The shell has not found its program, or could not run it: by the statuses for that.
  bool not_run() const;

  /// What it has printed on standard error by now, the last 64 KiB of it.
  std::string complaints();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace normproof::verification::golden::candidate
