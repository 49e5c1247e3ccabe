#pragma once

#include <memory>
#include <string>

namespace normproof::verification::golden::gate {

/// A program of somebody else that reads a line a case and answers with one.
class CandidateProcess {
 public:
  /// Runs `command` by sh, its standard error left where it is.
  /// Throws    std::system_error
  explicit CandidateProcess(const std::string& command);
  ~CandidateProcess();  ///< ends the program, and every process that it began
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  /// Writes the line and waits for one.
  /// Throws    FileError, one sentence: the program ended (its status or signal), `seconds` have
  ///           passed, or the answer is longer than 1 GiB. Then it takes no other question
  std::string ask(const std::string& line, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace normproof::verification::golden::gate
