#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::verification::golden::candidate {

using certify::StoredCase;
using ref::io::StoredTensor;

/// The output of a candidate for a case: either its tensors, or the statement that it does not
/// support the case.
class CandidateOutput {
 public:
  /// Makes an output with these tensors.
  CandidateOutput(std::vector<StoredTensor> tensors) : tensors_(std::move(tensors)) {}
  /// Makes the output of a candidate that does not support the case. `reason` is empty if the
  /// candidate gives none.
  static CandidateOutput declined(std::string reason = {});

  bool is_declined() const { return is_declined_; }
  const std::string& reason() const { return reason_; }
  /// Returns the tensors of the candidate.
  /// Requires  the case is not declined
  /// Throws    ContractError
  const std::vector<StoredTensor>& tensors() const;

 private:
  std::vector<StoredTensor> tensors_;
  bool is_declined_ = false;
  std::string reason_ = {};
};

/// A function that runs the implementation under test on a case and returns its output.
/// Throws    FileError if the case fails; its text is one sentence with the reason
using Candidate = std::function<CandidateOutput(const StoredCase& stored)>;

/// Returns the maximum size in bytes of a candidate's output for a case. It is the same for a line
/// of text and for a file. For each expected number, the size allows twice the length of the
/// longest text of a number. A constant is added for names and sentences.
std::size_t max_output_bytes(const StoredCase& stored);

}  // namespace normproof::verification::golden::candidate
