#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/ref/io/temporary_folder.hpp"
#include "verification/checks/regression/history.hpp"
#include "verification/golden/candidate/double_candidate.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::checks::regression {

using golden::candidate::reference_candidate;

/// A test fixture with a corpus of three cases and a history of recordings of these cases.
class SmallHistory : public ::testing::Test {
 protected:
  SmallHistory() {
    golden::certify::make_corpus(golden(), {.only = "quick/layer_norm/one_*32"});
    cases_ = golden::certify::list_corpus(golden(), "*");
  }

  std::filesystem::path golden() const { return folder_ / "golden"; }
  std::filesystem::path file() const { return folder_ / "h.jsonl"; }
  History history() const { return History(file()); }

  std::vector<RecordedCase> record_candidate(const golden::candidate::Candidate& implementation,
                                             int jobs = 1) const {
    return record_cases(golden(), cases_, implementation,
                        [this](const std::string& sha256, const std::vector<StoredTensor>& answer) {
                          history().keep(sha256, answer);
                        },
                        jobs, {});
  }
  void append(const golden::candidate::Candidate& implementation, const std::string& label) const {
    const std::vector<RecordedCase> recorded = record_candidate(implementation);
    Recording recording = summarize(recorded);
    recording.label = label;
    history().append(recording, recorded);
  }

  /// Returns a candidate that computes the reference's outputs and applies f to every element of y.
  static golden::candidate::Candidate make_candidate_with_changed_y(
      const std::function<double(double)>& f) {
    return [f, own = reference_candidate()](const golden::certify::StoredCase& stored) {
      std::vector<StoredTensor> answer = own(stored).tensors();
      for (StoredTensor& tensor : answer) {
        if (tensor.name != "y") continue;
        std::vector<double> values = ref::io::widen(tensor);
        for (double& value : values) value = f(value);
        tensor = ref::io::make_tensor("y", tensor.dtype, tensor.shape, values);
      }
      return answer;
    };
  }

  tests::ref::io::TemporaryFolder folder_;
  std::vector<golden::certify::CaseDescription> cases_;
};

}  // namespace normproof::verification::checks::regression
