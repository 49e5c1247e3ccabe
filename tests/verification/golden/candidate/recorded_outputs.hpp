#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ref/io/tensor_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/candidate/pipe_text.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/gate/check_cases.hpp"

namespace normproof::verification::golden {

/// A test fixture with a corpus of one case per layer, and the reference's outputs for these cases.
class RecordedOutputs : public ::testing::Test {
 protected:
  RecordedOutputs() {
    certify::make_corpus(golden(), {.only = "quick/*/two_features-*"});
    cases_ = certify::list_corpus(golden(), "*");
    std::ofstream lines(folder_ / "lines");
    for (const certify::CaseDescription& description : cases_) {
      const std::vector<StoredTensor> answer =
          reference_output(certify::read_case(golden(), description));
      std::filesystem::create_directories(outputs() / description.path);
      ref::io::write_tensors(outputs() / description.path / "expected.safetensors", answer);
      lines << candidate::output_line(description.path, answer) << "\n";
    }
  }

  std::filesystem::path golden() const { return folder_ / "golden"; }
  std::filesystem::path outputs() const { return folder_ / "outputs"; }
  /// Returns the command of a candidate that reads one line per case and prints the next prepared
  /// line. Before it prints a line, it runs the shell command `before_each`.
  std::string candidate_command(const std::string& before_each = ":") const {
    return "exec 3< '" + (folder_ / "lines").string() +
           "'; while read -r line; do read -r answer <&3; " + before_each +
           "; printf '%s\\n' \"$answer\"; done";
  }
  std::vector<gate::CaseResult> check(const candidate::Candidate& implementation,
                                      int jobs = 1) const {
    return gate::check_cases(golden(), cases_, implementation, {}, jobs, {});
  }
  static std::size_t count_passed(const std::vector<gate::CaseResult>& results) {
    return static_cast<std::size_t>(std::ranges::count_if(results, &gate::CaseResult::passed));
  }

  tests::ref::io::TemporaryFolder folder_;
  std::vector<certify::CaseDescription> cases_;
};

}  // namespace normproof::verification::golden
