#include "gpu/device/launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {
namespace {

/// A kernel that counts its calls. For each element it stores the number of the call, which is 0
/// for the element that runs first.
struct StoreCallNumberKernel {
  using OnlySimulated = void;
  Reals turn;
  Reals counter;
  void operator()(std::size_t i) const { turn[i] = counter[0]++; }
};

std::vector<double> find_call_numbers(std::uint64_t seed, std::size_t count) {
  const auto device = simulated_device(seed);
  DeviceTensor<double> turn(*device, {count}), counter = full_tensor(*device, {1}, 0);
  launch_elements(*device, count, StoreCallNumberKernel{turn.span(), counter.span()});
  const auto host = download(turn);
  return {host.begin(), host.end()};
}

TEST(KernelLaunch, RunsEachElementOnceInTheOrderOfTheSeed) {
  for (const std::size_t count : {1, 2, 3, 7, 32, 1000, 1024, 1025, 2500}) {
    const auto first = find_call_numbers(1, count);
    EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), count);
    EXPECT_EQ(first, find_call_numbers(1, count));
  }
  EXPECT_NE(find_call_numbers(1, 1000), find_call_numbers(2, 1000));
  EXPECT_NE(find_call_numbers(1, 2500), find_call_numbers(2, 2500));
  EXPECT_EQ(find_call_numbers(0, 3), (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(std::ranges::is_sorted(find_call_numbers(0, 2500)));
}

/// A kernel in which each thread reads the value that its neighbor wrote in the previous step. The
/// threads run in a random order, so some would read NaN if there were no barrier between the
/// steps.
struct ReadNeighborThreadKernel {
  using OnlySimulated = void;
  static constexpr int kThreads = 32;
  static constexpr int kBlocks = 32;
  struct Shared {
    double value[kThreads];
  };
  struct Thread {
    double before;
  };
  Reals out;
  int steps() const { return 3; }
  void step(int s, Position at, Thread& thread, Shared& shared) const {
    if (s == 0) {
      EXPECT_NE(shared.value[at.thread], shared.value[at.thread]) << "shared memory is not NaN";
      thread.before = static_cast<double>(at.thread);
    }
    if (s == 1) shared.value[at.thread] = thread.before;
    if (s == 2)
      out[at.block * kThreads + static_cast<std::size_t>(at.thread)] =
          shared.value[(at.thread + 1) % kThreads];
  }
};

TEST(KernelLaunch, ThreadsOfABlockFinishAStepBeforeTheNext) {
  const auto device = simulated_device(3);
  DeviceTensor<double> out(*device, {5, 32});
  launch_blocks(*device, 5, ReadNeighborThreadKernel{out.span()});
  const auto host = download(out);
  for (std::size_t i = 0; i < host.size(); ++i)
    EXPECT_EQ(host.data()[i], static_cast<double>((i + 1) % 32));
}

/// A kernel in which each thread reads the value that the next block of its cluster wrote in the
/// previous step.
struct ReadNextBlockKernel {
  using OnlySimulated = void;
  static constexpr int kThreads = 4;
  static constexpr int kBlocks = 1;
  struct Shared {
    double value[kThreads];
  };
  struct Thread {
    double before;
  };
  Reals out;
  int blocks;
  int steps() const { return 3; }
  void step(int s, ClusterPosition at, Thread& thread, ClusterMemory<Shared> memory) const {
    double& own = memory[at.rank].value[at.thread];
    if (s == 0) {
      EXPECT_NE(own, own) << "shared memory is not NaN";
      thread.before = 10 * static_cast<double>(at.cluster) + at.rank;
    }
    if (s == 1) own = thread.before;
    if (s == 2)
      out[(at.cluster * static_cast<std::size_t>(blocks) + static_cast<std::size_t>(at.rank)) *
              kThreads +
          static_cast<std::size_t>(at.thread)] = memory[(at.rank + 1) % blocks].value[at.thread];
  }
};

TEST(KernelLaunch, BlocksOfAClusterFinishAStepBeforeTheNext) {
  for (const std::uint64_t seed : {0, 3, 5}) {
    const auto device = simulated_device(seed);
    DeviceTensor<double> out(*device, {4, 3, 4});
    launch_clusters(*device, 4, 3, ReadNextBlockKernel{out.span(), 3});
    const auto host = download(out);
    for (std::size_t i = 0; i < host.size(); ++i)
      EXPECT_EQ(host.data()[i], static_cast<double>(10 * (i / 12) + (i / 4 + 1) % 3)) << i;
  }
}

TEST(KernelLaunch, RejectsAnIndexBeyondTheTensor) {
  const auto device = simulated_device();
  DeviceTensor<double> turn(*device, {2}), counter = full_tensor(*device, {1}, 0);
  const StoreCallNumberKernel kernel{turn.span(), counter.span()};
  EXPECT_THROW(launch_elements(*device, 3, kernel), DeviceError);
}

}  // namespace
}  // namespace normproof::gpu::device
