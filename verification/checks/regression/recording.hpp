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

/// The fingerprint of one output of a case: a hash of its bits and the statistics of its errors.
struct RecordedOutput {
  std::string name, dtype;
  std::size_t count = 0;  ///< number of elements
  std::string sha256;     ///< content_sha256 of the output, with every NaN as 7ff8...
  ErrorStatistics error;
};

struct RecordedCase {
  std::string path;
  std::string case_sha256;  ///< of case.json: inputs, options and expected values
  std::string problem;      ///< why there is no output; if set, the other fields are empty
  std::string answer_sha256;
  std::vector<RecordedOutput> outputs;  ///< sorted by name
};

/// The errors of a layer over all its outputs: the largest error, and the mean of the outputs' mean
/// errors.
struct LayerError {
  std::string layer;
  ErrorStatistics error;
};

/// The outputs that a candidate computed in one recording run. A recording is one line of a
/// history.
struct Recording {
  std::string label;      ///< empty if none was given
  std::string candidate;  ///< how the candidate was run
  std::vector<std::pair<std::string, std::string>> environment;
  std::size_t cases = 0, answered = 0, outputs = 0;
  std::vector<LayerError> layers;  ///< sorted by name
  std::string results_sha256;      ///< the hash of the file with the cases
};

/// A function that stores the outputs of a case under the SHA-256 of their content. Several threads
/// may call it at once.
using Keep =
    std::function<void(const std::string& sha256, const std::vector<StoredTensor>& answer)>;

/// Runs the candidate on each case, stores its outputs and computes the fingerprints. If outputs
/// are missing or do not match the case, the record of the case describes this problem. Cases that
/// the candidate declines are left out.
/// Requires  jobs is 1 if only one thread at a time may call the candidate
/// Throws    FileError if the corpus itself is damaged; any exception of `keep`
std::vector<RecordedCase> record_cases(const std::filesystem::path& golden,
                                       const std::vector<golden::certify::CaseDescription>& cases,
                                       const golden::candidate::Candidate& candidate,
                                       const Keep& keep, int jobs,
                                       const std::function<void(std::size_t done)>& finished);

/// Returns the recording of these cases, with its counts and its errors per layer.
Recording summarize(const std::vector<RecordedCase>& cases);

}  // namespace normproof::verification::checks::regression
