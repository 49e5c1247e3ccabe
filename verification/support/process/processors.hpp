#pragma once

#include <filesystem>

namespace normproof::verification::support::process {

/// Returns the number of processors that this process may use.
///
/// Source    cpu.max of control groups (cgroups) of version 2; cpu.cfs_quota_us and
///           cpu.cfs_period_us of version 1. The files are read below `root`/proc/self/cgroup and
///           `root`/sys/fs/cgroup. A file that is absent or cannot be read means no limit
/// Computes  the smaller of two numbers: the number of processors in the CPU affinity
///           (sched_getaffinity), and the smallest quota of the process's control group and its
///           parents, rounded up. The result is at least 1
int usable_processors(const std::filesystem::path& root = "/");

}  // namespace normproof::verification::support::process
