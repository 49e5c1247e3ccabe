#pragma once

#include <filesystem>

namespace normproof::verification::support::process {

/// Computes  how many processors' time this process may use, at least 1: those that its affinity
///           allows (sched_getaffinity), or as many as the quota of its control group and of those
///           above it allows, rounded up, where that is fewer
/// Source    cpu.max of control groups of version 2, cpu.cfs_quota_us and cpu.cfs_period_us of
///           version 1; `root` stands for "/", whose proc/self/cgroup and sys/fs/cgroup are read.
///           What is absent or cannot be read limits nothing
int usable_processors(const std::filesystem::path& root = "/");

}  // namespace normproof::verification::support::process
