#include "verification/golden/reports/repeated_problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

bool RepeatedProblems::add(const std::string& problem, const std::string& path) {
  if (problem.empty()) return false;
  const auto group = std::ranges::find(groups_, problem, &Group::problem);
  if (group == groups_.end()) {
    groups_.push_back({problem, {}});
    return false;
  }
  group->more.push_back(path);
  return true;
}

std::vector<std::string> RepeatedProblems::lines() const {
  constexpr std::size_t kPathsShown = 3;
  std::vector<std::string> lines;
  for (const Group& group : groups_) {
    if (group.more.empty()) continue;
    const std::size_t shown = std::min(kPathsShown, group.more.size());
    const std::vector<std::string> paths(group.more.begin(),
                                         group.more.begin() + static_cast<std::ptrdiff_t>(shown));
    const std::size_t others = group.more.size() - shown;
    lines.push_back(fmt::format(
        "FAILED {}{}, in the same way: {}", fmt::join(paths, ", "),
        others > 0 ? fmt::format(" and {}", support::report::plural(others, "more case")) : "",
        support::report::clean_line(group.problem)));
  }
  return lines;
}

}  // namespace normproof::verification::golden::reports
