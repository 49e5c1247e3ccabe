#include "verification/support/process/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace normproof::verification::support::process {
namespace {

using std::filesystem::path;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

int affinity_processor_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  // The machine has more processors than a cpu_set_t can hold.
  return static_cast<int>(std::thread::hardware_concurrency());
}

double quota_per_period(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kUnlimited;
}

/// Returns the limit of a control group (version 2) as a number of processors. The file cpu.max
/// holds quota and period, such as "150000 100000", or "max 100000" for no limit.
double read_limit_version_2(const path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period ? quota_per_period(quota, period) : kUnlimited;
}

/// Returns the limit of a control group (version 1) as a number of processors: quota divided by
/// period. A quota of -1 means no limit.
double read_limit_version_1(const path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us"), period_file(group / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quota_file >> quota && period_file >> period ? quota_per_period(quota, period)
                                                      : kUnlimited;
}

/// Returns the smallest of the limits of a control group and of all its parents, up to the folder
/// `top`.
template <class Limit>
double find_smallest_limit(const path& top, const std::string& group, const Limit& limit_of) {
  path below = path(group).relative_path().lexically_normal();
  // The group is outside the part of the tree that is mounted here.
  if (below.native().starts_with("..")) below.clear();
  for (double least = kUnlimited;; below = below.parent_path()) {
    least = std::min(least, limit_of(top / below));
    if (below.empty()) return least;
  }
}

/// Returns the smallest limit of the control groups that /proc/self/cgroup names. Its lines are
/// "0::/user.slice" in version 2 and "4:cpu,cpuacct:/docker/1f" in version 1.
double read_group_limit(const path& root) {
  const path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  double least = kUnlimited;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, find_smallest_limit(groups, group, read_limit_version_2));
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      least =
          std::min(least, find_smallest_limit(groups / controllers, group, read_limit_version_1));
  }
  return least;
}

}  // namespace

int usable_processors(const path& root) {
  const int processors = std::max(affinity_processor_count(), 1);
  const double allowed = std::ceil(read_group_limit(root));
  return allowed < processors ? std::max(static_cast<int>(allowed), 1) : processors;
}

}  // namespace normproof::verification::support::process
