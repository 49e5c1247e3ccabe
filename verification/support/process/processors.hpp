#pragma once

#include <filesystem>

namespace normproof::verification::support::process {

/// The number of processors this process may use.
///
/// Source    cpu.max of control groups of version 2; cpu.cfs_quota_us and cpu.cfs_period_us of
///           version 1. `root` stands for "/": its proc/self/cgroup and sys/fs/cgroup are read. A
///           file that is absent or cannot be read means no limit
/// Computes  the smaller of the number that the CPU affinity allows (sched_getaffinity) and the
///           number that the quotas of its control group and of the group's parents allow, rounded
///           up; at least 1
int usable_processors(const std::filesystem::path& root = "/");

}  // namespace normproof::verification::support::process
