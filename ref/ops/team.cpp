#include "ref/ops/team.hpp"

#include <algorithm>
#include <thread>

#include "ref/numeric/parallel.hpp"

namespace normproof::ref::ops {
namespace {

constexpr int kLooksBeforeYielding = 2000;

}  // namespace

void Team::Member::share(std::size_t count, std::size_t grain, const Body& body) {
  if (team_.members_ == 1) {
    if (count > 0) body(0, count);
    return;
  }
  const std::size_t end = base_ + count;
  std::size_t begin = team_.next_.load(std::memory_order_relaxed);
  while (begin < end) {
    // Half this thread's part of what is left: short ranges at the end, so that all finish
    // together.
    const std::size_t part = std::max(grain, (end - begin) / (2 * team_.members_));
    const std::size_t stop = std::min(begin + std::max<std::size_t>(part, 1), end);
    if (!team_.next_.compare_exchange_weak(begin, stop, std::memory_order_relaxed)) continue;
    body(begin - base_, stop - base_);
    team_.done_.fetch_add(stop - begin, std::memory_order_release);
    begin = team_.next_.load(std::memory_order_relaxed);
  }
  base_ = end;
  // What is not done is at work in another thread, which waits for nothing: this ends.
  for (int looks = 0; team_.done_.load(std::memory_order_acquire) < end; ++looks)
    if (looks >= kLooksBeforeYielding) std::this_thread::yield();
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
