#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verification/checks/regression/error_statistics.hpp"
#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::checks::regression {

/// The fingerprint of one output of one case.
struct RecordedOutput {
  std::string name, dtype;
  std::size_t count = 0;  ///< elements
  std::string sha256;     ///< content_sha256 of the answer, every NaN as 7ff8...
  ErrorStatistics error;
};

struct RecordedCase {
  std::string path;
  std::string case_sha256;  ///< of case.json: inputs, options and what is expected
  std::string problem;      ///< why there is no answer; then the rest is empty
  std::string answer_sha256;
  std::vector<RecordedOutput> outputs;  ///< in ascending order of names
};

/// The error of a layer over all its outputs: the largest, and the mean of the means.
struct LayerError {
  std::string layer;
  ErrorStatistics error;
};

/// What a candidate answered at one time: a line of a history.
struct Recording {
  std::string label;      ///< empty where none was given
  std::string candidate;  ///< how it was asked
  std::vector<std::pair<std::string, std::string>> environment;
  std::size_t cases = 0, answered = 0, outputs = 0;
  std::vector<LayerError> layers;  ///< in ascending order of names
  std::string results_sha256;      ///< of the file that holds the cases
};

/// Keeps an answer under the SHA-256 of its content; may be called from several threads.
using Keep =
    std::function<void(const std::string& sha256, const std::vector<StoredTensor>& answer)>;

/// Asks for the answer to each case, keeps it, and takes its fingerprint. An answer that does not
/// come, or whose tensors are not those of the case, is a problem of that case; a case that is
/// declined is left out.
/// Requires  jobs is 1 where `ask` takes one question at a time
/// Throws    FileError where the corpus itself is damaged, or what `keep` throws
std::vector<RecordedCase> record_cases(const std::filesystem::path& golden,
                                       const std::vector<golden::certify::CaseDescription>& cases,
                                       const golden::candidate::Candidate& candidate,
                                       const Keep& keep, int jobs,
                                       const std::function<void(std::size_t done)>& finished);

/// Counts and layers of a recording.
Recording summarize(const std::vector<RecordedCase>& cases);

}  // namespace normproof::verification::checks::regression
