#include "ref/ops/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ref/numeric/parallel.hpp"

namespace normproof::ref::ops {
namespace {

class ThreadTeamTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { numeric::set_num_threads(GetParam()); }
  void TearDown() override { numeric::set_num_threads(1); }
};

TEST_P(ThreadTeamTest, ProcessesEveryIndexOfEveryStepOnce) {
  const std::size_t counts[] = {1, 0, 7, 1000, 3};
  std::vector<std::vector<std::atomic<int>>> done;
  for (const std::size_t count : counts) done.emplace_back(count);
  std::atomic<int> too_short{0};
  Team::run(8, [&](Team::Member& member) {
    for (std::size_t step = 0; step < std::size(counts); ++step)
      member.share(counts[step], 2, [&](std::size_t begin, std::size_t end) {
        if (end - begin < 2 && end != counts[step]) ++too_short;
        for (; begin < end; ++begin) ++done[step][begin];
      });
  });
  for (const auto& step : done)
    for (const auto& times : step) EXPECT_EQ(times, 1);
  EXPECT_EQ(too_short, 0);
}

TEST_P(ThreadTeamTest, AStepSeesTheWritesOfThePreviousStep) {
  constexpr std::size_t kSize = 500;
  std::vector<std::size_t> previous_values(kSize, 0);
  std::vector<std::size_t> current(kSize, 0);
  Team::run(8, [&](Team::Member& member) {
    for (std::size_t step = 0; step < 40; ++step) {
      auto& from = step % 2 == 0 ? previous_values : current;
      auto& to = step % 2 == 0 ? current : previous_values;
      member.share(kSize, 1, [&](std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) to[begin] = from[kSize - 1 - begin] + 1;
      });
    }
  });
  for (const std::size_t value : previous_values) EXPECT_EQ(value, 40u);
}

TEST_P(ThreadTeamTest, AStepWaitsForTheSlowestRange) {
  std::vector<int> written_values(4, 0);
  std::atomic<int> missed{0};
  Team::run(8, [&](Team::Member& member) {
    member.share(4, 1, [&](std::size_t begin, std::size_t end) {
      if (begin == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      for (; begin < end; ++begin) written_values[begin] = 1;
    });
    member.share(8, 1, [&](std::size_t, std::size_t) {
      for (const int done : written_values) missed += 1 - done;
    });
  });
  EXPECT_EQ(missed, 0);
}

TEST_P(ThreadTeamTest, HasTheRequestedNumberOfMembersUpToTheLimit) {
  for (const std::size_t requested : {0u, 1u, 2u, 9u}) {
    std::atomic<std::size_t> members{0};
    Team::run(requested, [&](Team::Member&) { ++members; });
    const auto allowed = static_cast<std::size_t>(GetParam());
    EXPECT_EQ(members, std::max<std::size_t>(1, std::min(requested, allowed)));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadTeamTest, ::testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace normproof::ref::ops
