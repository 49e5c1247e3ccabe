#pragma once

#include <string>
#include <vector>

namespace normproof::verification::golden::reports {

/// Cases without an answer, grouped by the sentence that says why. A candidate that raises the same
/// exception in each case would otherwise fill the report with copies of it.
class RepeatedProblems {
 public:
  /// Records why a case has no answer. An empty sentence means that it has one, and is not
  /// recorded. Returns whether an earlier case failed with the same sentence.
  bool add(const std::string& problem, const std::string& path);

  /// Returns one line for each sentence that more than one case has: the paths of all cases but the
  /// first, and the sentence.
  std::vector<std::string> lines() const;

 private:
  struct Group {
    std::string problem;
    std::vector<std::string> more;  ///< the paths of all cases but the first
  };
  std::vector<Group> groups_;
};

}  // namespace normproof::verification::golden::reports
