#include "ref/ops/team.hpp"

#include <algorithm>

#include "ref/numeric/parallel.hpp"

namespace normproof::ref::ops {

bool Team::Member::claim_range(std::size_t count, std::size_t grain, Range& range) {
  const std::size_t end = base_ + count;
  std::size_t begin = team_.next_.load(std::memory_order_relaxed);
  while (begin < end) {
    // A range is half of this thread's share of the remaining indices. So ranges become short at
    // the end, and all threads finish at about the same time.
    const std::size_t left = end - begin;
    const std::size_t part = team_.members_ == 1 ? left : left / (2 * team_.members_);
    const std::size_t stop =
        begin + std::clamp(part, std::clamp<std::size_t>(grain, 1, left), left);
    if (!team_.next_.compare_exchange_weak(begin, stop, std::memory_order_relaxed)) continue;
    range = {begin - base_, stop - base_};
    return true;
  }
  return false;
}

void Team::Member::finish(std::size_t count) {
  base_ += count;
  // Every range that is not finished is being processed by another thread, which does not wait. So
  // this wait ends.
  team_.step_ended_.wait_until([&] { return team_.done_.load() >= base_; });
}

void Team::run(std::size_t threads, const std::function<void(Member&)>& steps) {
  const std::size_t members =
      std::clamp<std::size_t>(threads, 1, static_cast<std::size_t>(numeric::num_threads()));
  Team team(members);
  numeric::parallel_for(members, 1, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) {
      Member member(team);
      steps(member);
    }
  });
}

}  // namespace normproof::ref::ops
