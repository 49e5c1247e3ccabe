#include "verification/support/process/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "tests/ref/io/temporary_folder.hpp"

namespace normproof::verification::support::process {
namespace {

using normproof::tests::ref::io::TemporaryFolder;

/// Returns the number of processors that are usable if no control group limits them. It depends
/// only on the CPU affinity.
int all() {
  const TemporaryFolder without_groups;
  return usable_processors(without_groups.path());
}

void write_control_group(const TemporaryFolder& root, const std::string& path,
                         const std::string& text) {
  std::filesystem::create_directories((root / path).parent_path());
  std::ofstream(root / path) << text;
}

TEST(UsableProcessors, OnlyAffinityCountsIfThereAreNoControlGroups) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(all(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(all(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(UsableProcessors, SmallestQuotaOfAGroupAndItsParentsCounts) {
  for (const auto& [own, above, expected] : {std::tuple{"100000 100000", "max 100000", 1},
                                             {"max 100000", "50000 100000", 1},
                                             {"150000 100000", "max 100000", std::min(2, all())},
                                             {"max 100000", "max 100000", all()},
                                             {"100000000 100000", "max 100000", all()},
                                             {"", "", all()},
                                             {"-5 0", "x", all()}}) {
    const TemporaryFolder root;
    write_control_group(root, "proc/self/cgroup", "0::/a.slice/b.scope\n");
    write_control_group(root, "sys/fs/cgroup/a.slice/b.scope/cpu.max", own);
    write_control_group(root, "sys/fs/cgroup/a.slice/cpu.max", above);
    EXPECT_EQ(usable_processors(root.path()), expected) << own << ", " << above;
  }
}

TEST(UsableProcessors, ReadsTheTopControlGroupIfTheNamedOneIsNotMounted) {
  const TemporaryFolder root;
  write_control_group(root, "proc/self/cgroup", "0::/../elsewhere\n");
  write_control_group(root, "sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(usable_processors(root.path()), 1);
}

TEST(UsableProcessors, ReadsQuotasOfCgroupVersion1) {
  const TemporaryFolder root;
  write_control_group(root, "proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/docker/1f\n");
  write_control_group(root, "sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us", "100000\n");
  write_control_group(root, "sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(usable_processors(root.path()), all());
  write_control_group(root, "sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "70000\n");
  EXPECT_EQ(usable_processors(root.path()), 1);
}

}  // namespace
}  // namespace normproof::verification::support::process
