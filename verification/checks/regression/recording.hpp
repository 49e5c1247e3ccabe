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

/// The fingerprint of one output of a case.
struct RecordedOutput {
  std::string name, dtype;
  std::size_t count = 0;  ///< number of elements
  std::string sha256;     ///< content_sha256 of the output, with every NaN as 7ff8...
  ErrorStatistics error;
};

struct RecordedCase {
  std::string path;
  std::string case_sha256;  ///< of case.json: inputs, options and expected values
  std::string problem;      ///< why there is no output; then the other fields are empty
  std::string answer_sha256;
  std::vector<RecordedOutput> outputs;  ///< sorted by name
};

/// The error of a layer over all its outputs: the maximum, and the mean of the means.
struct LayerError {
  std::string layer;
  ErrorStatistics error;
};

/// The outputs of a candidate at one time: a line of a history.
struct Recording {
  std::string label;      ///< empty if none was given
  std::string candidate;  ///< how the candidate was run
  std::vector<std::pair<std::string, std::string>> environment;
  std::size_t cases = 0, answered = 0, outputs = 0;
  std::vector<LayerError> layers;  ///< sorted by name
  std::string results_sha256;      ///< of the file with the cases
};

/// Stores an output under the SHA-256 of its content. May be called from several threads.
using Keep =
    std::function<void(const std::string& sha256, const std::vector<StoredTensor>& answer)>;

/// Runs the candidate on each case, stores its output and computes the fingerprint. If the output
/// is missing, or its tensors do not match the case, that is a problem of the case. Declined cases
/// are omitted.
/// Requires  jobs is 1 if `ask` can only be called by one thread at a time
/// Throws    FileError if the corpus itself is damaged; any exception of `keep`
std::vector<RecordedCase> record_cases(const std::filesystem::path& golden,
                                       const std::vector<golden::certify::CaseDescription>& cases,
                                       const golden::candidate::Candidate& candidate,
                                       const Keep& keep, int jobs,
                                       const std::function<void(std::size_t done)>& finished);

/// Computes the counts and the layers of a recording.
Recording summarize(const std::vector<RecordedCase>& cases);

}  // namespace normproof::verification::checks::regression
