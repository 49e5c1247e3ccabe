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

/// What a candidate returns for a case: its tensors, or that it does not support the case.
class CandidateOutput {
 public:
  /// An output of these tensors.
  CandidateOutput(std::vector<StoredTensor> tensors) : tensors_(std::move(tensors)) {}
  /// The output of a candidate that does not support the case; `reason` is empty if it gives none.
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

/// An implementation under test: returns its output for a case.
/// Throws    FileError, one sentence: the reason why the case fails
using Candidate = std::function<CandidateOutput(const StoredCase& stored)>;

/// Returns the largest size in bytes that a candidate's output for a case may have, as a line or as
/// a file: twice the longest number for every element and every remainder, plus room for names and
/// sentences.
std::size_t max_output_bytes(const StoredCase& stored);

}  // namespace normproof::verification::golden::candidate
